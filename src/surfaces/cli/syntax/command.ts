/*
 * What a command is made of. Two parsers read the table of them: parse/hot.ts for the few that must start fast, parse/cold.ts
 * for all; both give the same `Call`.
 *
 *   argv ──► parser ──► Call ──► perform ──► run ──► Result ──► stdout (text or JSON) and exit status
 */
import type { Context } from '../context/context.ts'
import type { HotApp } from '../context/hot-app.ts'
import type { Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'

/** `value` is JSON if it parses exactly, else a string. `duration` is given as 500ms, 60s, 5m, 2h. */
export type ValueType = 'text' | 'number' | 'boolean' | 'value' | 'duration' | 'milliseconds'

interface Field {
  /** Member of the input. */
  readonly field: string
  readonly type: ValueType
  readonly summary: string
  readonly choices?: readonly string[]
}

export interface Parameter extends Field {
  /** As help prints it: PATH. */
  readonly name: string
  readonly required: boolean
  /** Takes all the words that are left. */
  readonly rest?: true
}

export interface Flag extends Field {
  /** Without the dashes. */
  readonly name: string
  readonly short?: string
  /** What help prints for the value: N. */
  readonly value?: string
  /** May be given several times. */
  readonly repeat?: true
  /** Switches off what the flag of the same field switches on: `--no-NAME`. */
  readonly off?: true
}

/** Sets of flags that many commands share; see flags.ts. */
export type FlagSet = 'session' | 'at' | 'begin' | 'write'

export interface Command<A extends HotApp = HotApp> {
  /** Its words: `state set`. */
  readonly name: string
  readonly summary: string
  /** Command lines without the program's name; help begins with them. */
  readonly examples: readonly string[]
  /** More for the long help. */
  readonly notes?: string
  readonly parameters: readonly Parameter[]
  readonly flags: readonly Flag[]
  readonly shares: readonly FlagSet[]
  /** The words behind `--` are a command line for others; input member `command`. */
  readonly takesCommand?: true
  /** Writes NDJSON as it goes, and the result as the last line. */
  readonly streams?: true
  /** Not in the overview. */
  readonly hidden?: true
  readonly run: (context: Context<A>, input: Input) => Promise<Result>
}

export interface Call<A extends HotApp = HotApp> {
  readonly command: Command<A>
  readonly input: Input
}

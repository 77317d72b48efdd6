/* Words into typed input. Both parsers end here. */
import { usage, type Input } from '../context/input.ts'
import type { Command, Flag, Parameter, ValueType } from './command.ts'
import { flagsOf } from './flags.ts'

export interface Words {
  readonly positionals: readonly string[]
  /** By flag name; a flag that repeats has a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>
  /** Behind `--`, for commands that take one. */
  readonly command?: readonly string[]
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Throws USAGE where the words do not fit the command. */
export function inputOf(command: Pick<Command, 'name' | 'parameters' | 'flags' | 'shares'>, words: Words): Input {
  const input: Record<string, unknown> = {}
  placePositionals(command, words.positionals, input)
  for (const flag of flagsOf(command)) {
    const given = words.flags[flag.name]
    if (given !== undefined) input[flag.field] = flagValue(flag, given)
  }
  if (words.command !== undefined) input['command'] = words.command
  return input
}

function placePositionals(
  { name, parameters }: Pick<Command, 'name' | 'parameters'>,
  words: readonly string[],
  input: Record<string, unknown>,
): void {
  let next = 0
  for (const parameter of parameters) {
    const taken = words.slice(next, parameter.rest === true ? undefined : next + 1)
    next += taken.length
    if (taken.length === 0 && parameter.required)
      throw usage(`${parameter.name} is missing`, `steadfold ${name} --help`)
    const values = taken.map((word) => convert(parameter, parameter.name, word))
    if (taken.length > 0) input[parameter.field] = parameter.rest === true ? values : values[0]
  }
  const extra = words[next]
  if (extra === undefined) return
  const taken = parameters.map((each) => each.name).join(' ') || 'no words'
  // Where one holds spaces, it was quoted.
  const quote = words.some((word) => /\s/.test(word)) ? '' : 'quote values that hold spaces; '
  throw usage(`"${extra}" is one word too many: ${name} takes ${taken}`, `${quote}steadfold ${name} --help`)
}

function flagValue(flag: Flag, given: string | boolean | readonly (string | boolean)[]): unknown {
  if (typeof given === 'boolean') return given
  if (typeof given === 'string') return convert(flag, said(flag), given)
  return given.map((each) => convert(flag, said(flag), String(each)))
}

/** With its letter, which may be what was typed. */
const said = ({ name, short }: Flag): string => (short === undefined ? `--${name}` : `-${short}/--${name}`)

function convert({ type, choices }: Pick<Parameter, 'type' | 'choices'>, name: string, word: string): unknown {
  if (choices !== undefined && !choices.includes(word)) {
    throw usage(`${name} cannot be "${word}"`, `one of ${choices.join(', ')}`)
  }
  return CONVERT[type](word, name)
}

const CONVERT: Readonly<Record<ValueType, (word: string, name: string) => unknown>> = {
  text: (word) => word,
  // Read later: it may be a file, or stdin.
  value: (word) => word,
  boolean: (word) => word !== 'false',
  number: toNumber,
  duration: toMilliseconds,
  milliseconds: (word, name) => (NUMBER.test(word) ? toNumber(word, name) : toMilliseconds(word, name)),
}

const NUMBER = /^-?\d+(\.\d+)?$/

function toNumber(word: string, name: string): number {
  if (NUMBER.test(word) && Number.isSafeInteger(Math.trunc(Number(word)))) return Number(word)
  throw usage(`${name} takes a number, not "${word}"`)
}

function toMilliseconds(word: string, name: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(word) ?? []
  if (amount === undefined) throw usage(`${name} takes a time such as 500ms, 30s, 5m or 2h, not "${word}"`)
  return Number(amount) * (UNITS[unit] ?? 1000)
}

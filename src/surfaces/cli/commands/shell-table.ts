/* The workflow of a script: the table that it brings, else what its session has, else the default. */
import { accepted, type RunOptions } from '../../../kernel/operation/answer.ts'
import { getAt } from '../../../kernel/path/path.ts'
import type { Session } from '../../../kernel/session.ts'

interface Definition {
  readonly name: string
  readonly initial: string
  readonly terminal: string
  readonly scopes?: Readonly<Record<string, string>>
  readonly states: Readonly<Record<string, { readonly next: readonly string[] }>>
}

interface Wanted {
  readonly scope: string
  /** A line for each state: `NAME=NEXT,NEXT`. */
  readonly table: string | undefined
}

export async function defineFor(session: Session, { scope, table }: Wanted, options: RunOptions): Promise<void> {
  // What is stored was checked when it was defined.
  const stored = getAt(session.stored, ['workflow', 'definition']) as Definition | undefined
  const definition = table === undefined ? stored : fromTable(table)
  const answer = await session.run('workflow.define', { definition, scope }, options)
  if (answer.kind === 'accepted' || definition === undefined || definition.name === 'default')
    return void accepted(answer)
  // A scope that says nothing of these states goes on to their end.
  const scopes = { ...definition.scopes, [scope]: definition.terminal }
  accepted(await session.run('workflow.define', { definition: { ...definition, scopes }, scope }, options))
}

/** A table has no order: the beginning is the state that nothing leads to, the end the one that leads nowhere. */
function fromTable(table: string): Definition {
  const lines = table.split('\n').filter((line) => line.trim() !== '')
  const next = new Map(lines.map((line) => [nameIn(line), namesIn(line)]))
  const names = [...next.keys()]
  const led = new Set([...next.values()].flat())
  const initial = next.has('initialize') ? 'initialize' : (names.find((name) => !led.has(name)) ?? names[0] ?? '')
  const ends = [...led, ...names].filter((name) => (next.get(name) ?? []).length === 0)
  const terminal = ends.includes('complete') ? 'complete' : (ends[0] ?? '')
  const order = new Set([initial])
  for (const name of order) for (const to of next.get(name) ?? []) order.add(to)
  const states = [...order, ...names].map((name) => [name, { next: next.get(name) ?? [] }] as const)
  return { name: 'script', initial, terminal, states: Object.fromEntries(states) }
}

const nameIn = (line: string): string => line.slice(0, Math.max(0, line.indexOf('='))).trim()

const namesIn = (line: string): readonly string[] =>
  line
    .slice(line.indexOf('=') + 1)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

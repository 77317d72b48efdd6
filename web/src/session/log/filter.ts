/*
 * The filter of a log in the words of the command line: `--op state.* --actor ada --since 2h`. `op:state.*` says the
 * same, and a word alone is an operation.
 */
export interface LogFilter {
  readonly op: readonly string[]
  readonly actor: readonly string[]
  readonly type: readonly string[]
  readonly since: string | undefined
  readonly until: string | undefined
}

const LISTS = ['op', 'actor', 'type'] as const
const POINTS = ['since', 'until'] as const
const NAMES: ReadonlySet<string> = new Set([...LISTS, ...POINTS])

export function filterOf(text: string): LogFilter {
  const found: Record<string, string[]> = {}
  const add = (name: string, value: string) => (found[name] ??= []).push(value)
  const words = text.split(/\s+/).filter(Boolean)
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const [, name = '', value] = /^(?:--)?([a-z]+)(?:[:=](.*))?$/.exec(word) ?? []
    if (!NAMES.has(name) || (value === undefined && !word.startsWith('--'))) add('op', word)
    else if (value !== undefined) add(name, value)
    else if (words[i + 1] !== undefined) add(name, words[++i] ?? '')
  }
  const list = (name: string) => (found[name] ?? []).filter((value) => value !== '')
  const [op, actor, type] = LISTS.map(list)
  const [since, until] = POINTS.map((name) => list(name).at(-1))
  return { op: op ?? [], actor: actor ?? [], type: type ?? [], since, until }
}

export const isEmpty = ({ op, actor, type, since, until }: LogFilter): boolean =>
  op.length + actor.length + type.length === 0 && since === undefined && until === undefined

/** The command that prints the same. */
export function commandOf(session: string, filter: LogFilter): string {
  const lists = LISTS.flatMap((name) => filter[name].map((value) => ` --${name} ${quoted(value)}`))
  const points = POINTS.flatMap((name) => (filter[name] === undefined ? [] : [` --${name} ${quoted(filter[name])}`]))
  return `steadfold log --session ${quoted(session)}${[...lists, ...points].join('')}`
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

import type { LogCommit } from './rows.ts'

const MOST = 240
const LONGEST = 60
/** Of no use to a person in one line: keys, tokens, hashes. */
const LEFT_OUT: ReadonlySet<string> = new Set(['key', 'token', 'expires', 'hash', 'ttl_ms', 'session'])
const HASH = /^[\da-f-]{32,}$/

/** A commit in a line: its events, and what the first of them says in plain values. */
export function summary({ events, reason }: LogCommit): string {
  const types = [...new Set(events.map(({ type }) => type))].join(' ')
  const said = events[0] === undefined ? '' : wordsOf(events[0].data)
  return `${types} ${said}${reason === undefined ? '' : ` (${reason})`}`.slice(0, MOST)
}

function wordsOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return textOf(data)
  return Object.entries(data)
    .filter(
      ([name, value]) => !LEFT_OUT.has(name) && value !== null && !(typeof value === 'string' && HASH.test(value)),
    )
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(' ')
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

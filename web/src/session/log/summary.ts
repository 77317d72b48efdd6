import type { LogCommit } from './rows.ts'

const MOST = 180

/** A commit in a line: its events, and what the first of them says. */
export function summary({ events, reason }: LogCommit): string {
  const types = [...new Set(events.map(({ type }) => type))].join(' ')
  const [first] = events
  const data = first === undefined ? '' : JSON.stringify(first.data)
  return `${types} ${data}${reason === undefined ? '' : ` (${reason})`}`.slice(0, MOST)
}

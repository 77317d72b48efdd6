import type { Commit } from './commit.ts'

/** Each list: one of them must fit; an empty one lets all pass. `*` stands for any text. */
export interface LogFilter {
  /** Operations: `state.set`, `step.*`. */
  readonly op?: readonly string[] | undefined
  /** `agent:planner`, `agent:*`, or only `planner`. */
  readonly actor?: readonly string[] | undefined
  /** Types of events: `data.set`. */
  readonly type?: readonly string[] | undefined
}

export function passes({ op, actor, type }: LogFilter, commit: Commit): boolean {
  const who = commit.actor
  const id = who.slice(who.indexOf(':') + 1)
  return (
    some(op, (pattern) => matches(pattern, commit.op)) &&
    some(actor, (pattern) => matches(pattern, who) || matches(pattern, id)) &&
    some(type, (pattern) => commit.events.some((event) => matches(pattern, event.type)))
  )
}

const some = (patterns: readonly string[] = [], test: (pattern: string) => boolean): boolean =>
  patterns.length === 0 || patterns.some(test)

function matches(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'u').test(text)
}

/** A commit as logs and streams show it. */
export function commitData({ seq, at, actor, op, events, hash, key, reason, cause }: Commit) {
  return {
    seq,
    at,
    actor,
    op,
    events,
    hash,
    ...(key === undefined ? {} : { key }),
    ...(reason === undefined ? {} : { reason }),
    ...(cause === null ? {} : { cause }),
  }
}

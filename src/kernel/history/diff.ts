/*
 * What changed between two JSON trees.
 *
 * D1. Objects are compared by key, arrays by index: what an array has more or less is at its tail.
 * D2. An added or removed subtree is one change; so is a value whose kind changed.
 * D3. Applying the changes to `before` gives `after`.
 * D4. The order is that of the path: keys by UTF-16 code units, indices by number.
 */
import { isMembers, type Members } from '../json/members.ts'
import type { Keys } from '../path/path.ts'

export type Change =
  | { readonly kind: 'added'; readonly path: Keys; readonly after: unknown }
  | { readonly kind: 'removed'; readonly path: Keys; readonly before: unknown }
  | { readonly kind: 'changed'; readonly path: Keys; readonly before: unknown; readonly after: unknown }

/** Undefined is nothing: all of the other was added, or removed. */
export function diff(before: unknown, after: unknown): readonly Change[] {
  const walk: Walk = { changes: [], path: [] }
  compare(walk, before, after)
  return walk.changes
}

interface Walk {
  readonly changes: Change[]
  /** Where the walk stands; copied into each change. */
  readonly path: (string | number)[]
}

function compare(walk: Walk, before: unknown, after: unknown): void {
  if (before === after) return
  if (Array.isArray(before) && Array.isArray(after)) return compareArrays(walk, before, after)
  if (isMembers(before) && isMembers(after)) return compareObjects(walk, before, after)
  const path = walk.path.slice()
  if (before === undefined) walk.changes.push({ kind: 'added', path, after })
  else if (after === undefined) walk.changes.push({ kind: 'removed', path, before })
  else walk.changes.push({ kind: 'changed', path, before, after })
}

function compareArrays(walk: Walk, before: readonly unknown[], after: readonly unknown[]): void {
  const { changes, path } = walk
  for (let i = 0; i < before.length || i < after.length; i++) {
    if (i >= after.length) changes.push({ kind: 'removed', path: [...path, i], before: before[i] })
    else if (i >= before.length) changes.push({ kind: 'added', path: [...path, i], after: after[i] })
    else compareAt(walk, i, before[i], after[i])
  }
}

function compareObjects(walk: Walk, before: Members, after: Members): void {
  const { changes, path } = walk
  for (const key of suspects(before, after)) {
    if (!Object.hasOwn(after, key)) changes.push({ kind: 'removed', path: [...path, key], before: before[key] })
    else if (!Object.hasOwn(before, key)) changes.push({ kind: 'added', path: [...path, key], after: after[key] })
    else compareAt(walk, key, before[key], after[key])
  }
}

/** The keys whose values are not the same scalar or the same object, sorted (D4): mostly few of those there are. */
function suspects(before: Members, after: Members): readonly string[] {
  const keys = Object.keys(before).filter((key) => before[key] !== after[key])
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) keys.push(key)
  return keys.length > 1 ? keys.toSorted() : keys
}

function compareAt(walk: Walk, key: string | number, before: unknown, after: unknown): void {
  walk.path.push(key)
  compare(walk, before, after)
  walk.path.pop()
}

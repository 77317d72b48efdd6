import { cachedByText } from '../text/cache.ts'
import { leastOf, type Heap } from './heap.ts'
import type { Module, Tree } from './module.ts'

const SECOND = 1000
const KNOWN = 100

/** When time alone will next bring something about, in ms since 1970; undefined when nothing waits for it. */
export function nextDue(modules: readonly Module[], root: Readonly<Tree>, now: number): number | undefined {
  let next: number | undefined
  for (const module of modules) {
    const due = dueOf(module, root, now)
    if (due !== undefined && !(next !== undefined && next <= due)) next = due
  }
  return next
}

/** A module that cannot tell is asked again, until it has something. */
function dueOf({ due, deadlines, expire }: Module, root: Readonly<Tree>, now: number): number | undefined {
  if (deadlines !== undefined) return leastAt(root, deadlines)
  if (due !== undefined || expire === undefined) return due?.(root)
  return expire(root, now, 0).length > 0 ? now : now + SECOND
}

/** What a module tells of time: one whose deadlines have a place is asked when the first of them is over, or is now. */
export function expiryOf({ deadlines, expire }: Module): Module['expire'] {
  if (deadlines === undefined || expire === undefined) return expire
  return (root, now, seq, operation) => {
    const first = leastAt(root, deadlines)
    return first === undefined || first > now ? [] : expire(root, now, seq, operation)
  }
}

const keysOf = cachedByText(KNOWN, (place) => place.split('.'))

/** The least number of the heap that stands there. */
function leastAt(root: Readonly<Tree>, place: string): number | undefined {
  // The way to the heap is made of objects, or ends before it; what stands there is the module's own, which says so.
  let at: unknown = root
  for (const key of keysOf(place)) at = (at as Readonly<Tree> | undefined)?.[key]
  return leastOf(at as Heap | undefined)
}

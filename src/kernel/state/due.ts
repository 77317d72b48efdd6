import type { Module, Tree } from './module.ts'

const SECOND = 1000

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
function dueOf({ due, expire }: Module, root: Readonly<Tree>, now: number): number | undefined {
  if (due !== undefined || expire === undefined) return due?.(root)
  return expire(root, now, 0).length > 0 ? now : now + SECOND
}

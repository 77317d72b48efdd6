/*
 * A module that is loaded when one of its events is folded, or when its slice is there.
 *
 * Y1. A module whose slice is not there has nothing to say: to time, to a commit, to an operation.
 */
import { sliceOf, type Module, type Tree } from './module.ts'

interface Lazy {
  readonly slice: string
  /** The types that it folds. */
  readonly events: readonly string[]
  readonly load: () => Module
}

export function lazyModule({ slice, events, load }: Lazy): Module {
  let loaded: Module | undefined
  const own = (): Module => (loaded ??= load())
  /** Y1 */
  const there = (root: Readonly<Tree>): Module | undefined => (sliceOf(root, slice) === undefined ? undefined : own())
  return {
    slice,
    events,
    initial: () => own().initial(),
    get evolve() {
      return own().evolve
    },
    expire: (root, now, seq, operation) => there(root)?.expire?.(root, now, seq, operation) ?? [],
    due: (root) => there(root)?.due?.(root),
    follow: (root, now, seq) => there(root)?.follow?.(root, now, seq) ?? [],
    guard: (root, operation, actor, now) => there(root)?.guard?.(root, operation, actor, now),
  }
}

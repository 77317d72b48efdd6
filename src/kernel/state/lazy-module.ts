/*
 * A module that is loaded when one of its events is folded, or when its slice is there and it has a rule to ask.
 *
 * Y1. A module whose slice is not there has nothing to say: to time, to a commit, to an operation.
 * Y2. One whose deadlines have a place is not loaded before the first of them; see due.ts.
 */
import { sliceOf, type Module, type Tree } from './module.ts'

/** What a module may have to say by itself. */
const RULES = ['expire', 'due', 'follow', 'guard'] as const

type Rule = (typeof RULES)[number]

/** What is known of a module that is not loaded. */
export interface ModuleFacts extends Pick<Module, 'slice' | 'deadlines'> {
  /** The types that it folds. */
  readonly events: readonly string[]
  /** Those that it has. */
  readonly rules: readonly Rule[]
}

export function factsOf(module: Module): ModuleFacts {
  const { slice, deadlines, evolve } = module
  const rules = RULES.filter((rule) => module[rule] !== undefined)
  return { slice, ...(deadlines === undefined ? {} : { deadlines }), events: Object.keys(evolve), rules }
}

export function lazyModule({ rules, ...facts }: ModuleFacts, load: () => Module): Module {
  let loaded: Module | undefined
  const own = (): Module => (loaded ??= load())
  /** Y1 */
  const there = (root: Readonly<Tree>): Module | undefined =>
    sliceOf(root, facts.slice) === undefined ? undefined : own()
  const all: Required<Pick<Module, Rule>> = {
    expire: (root, now, seq, operation) => there(root)?.expire?.(root, now, seq, operation) ?? [],
    due: (root) => there(root)?.due?.(root),
    follow: (root, now, seq) => there(root)?.follow?.(root, now, seq) ?? [],
    guard: (root, operation, actor, now) => there(root)?.guard?.(root, operation, actor, now),
  }
  return {
    ...facts,
    initial: () => own().initial(),
    get evolve() {
      return own().evolve
    },
    ...Object.fromEntries(rules.map((rule) => [rule, all[rule]])),
  }
}

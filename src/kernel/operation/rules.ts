/* What modules add to every operation by themselves. Most have nothing to add, so those that have are listed once. */
import { expiryOf } from '../state/due.ts'
import type { Module } from '../state/module.ts'

export interface Rules {
  readonly expire: readonly NonNullable<Module['expire']>[]
  readonly follow: readonly NonNullable<Module['follow']>[]
  readonly guard: readonly NonNullable<Module['guard']>[]
}

const known = new WeakMap<readonly Module[], Rules>()

export function rulesOf(modules: readonly Module[]): Rules {
  const made = known.get(modules)
  if (made !== undefined) return made
  const rules: Rules = {
    expire: modules.flatMap((module) => expiryOf(module) ?? []),
    follow: modules.flatMap(({ follow }) => follow ?? []),
    guard: modules.flatMap(({ guard }) => guard ?? []),
  }
  known.set(modules, rules)
  return rules
}

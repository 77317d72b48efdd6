import type { Container, Edit } from './edit.ts'

type Keys = readonly (string | number)[]

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/**
 * Puts `value` at `keys` below `root`, making objects on the way. Total: a scalar on the way gives way to an object,
 * and a position past the end of a list becomes its end.
 */
export function setAt(root: Container, keys: Keys, value: unknown, edit: Edit): void {
  const last = keys.length - 1
  if (last < 0) return
  let target = root
  for (let i = 0; i < last; i++) target = step(target, keys[i] ?? '', edit)
  edit.set(target, slot(target, keys[last] ?? ''), value)
}

function step(target: Container, key: string | number, edit: Edit): Container {
  const at = slot(target, key)
  const next = Array.isArray(target) ? target[Number(at)] : target[at]
  // A forbidden key never gets this far; what the prototype has is a function, not a container.
  if (isContainer(next)) return next
  const made: Container = {}
  edit.set(target, at, made)
  return made
}

function slot(target: Container, key: string | number): string | number {
  if (!Array.isArray(target)) return String(key)
  const index = typeof key === 'number' ? key : Number.parseInt(key, 10)
  return Number.isInteger(index) && index >= 0 && index < target.length ? index : target.length
}

/** Takes away what is at `keys`, if anything. The items behind a removed one move up. */
export function removeAt(root: Container, keys: Keys, edit: Edit): void {
  const last = keys.at(-1)
  if (last === undefined) return
  let target = root
  for (const key of keys.slice(0, -1)) {
    const next = Array.isArray(target) ? target[Number(key)] : Object.hasOwn(target, key) ? target[key] : undefined
    if (!isContainer(next)) return
    target = next
  }
  if (!Array.isArray(target)) edit.remove(target, String(last))
  else if (Object.hasOwn(target, Number(last))) edit.cut(target, Number(last))
}

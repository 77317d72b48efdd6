import { isForbiddenKey } from './path.ts'

declare global {
  // In every supported Node, but not yet in the configured lib.
  interface String {
    isWellFormed(): boolean
  }
}

export interface JsonLimits {
  /** Levels of arrays and objects; a scalar has none. */
  readonly depth: number
  /** Characters of JSON text, escapes not counted. */
  readonly size: number
}

export const JSON_LIMITS: JsonLimits = { depth: 128, size: 16 * 1024 * 1024 }

/** Finite, and not -0, which JSON.stringify writes as 0. */
export const isExact = (value: number): boolean => value - value === 0 && (value !== 0 || 1 / value > 0)

export const isStorableKey = (key: string): boolean => !isForbiddenKey(key) && key.isWellFormed()

/** Neither holes nor named members: only then has Object.values as many elements as the array. */
export const isPlainArray = (array: readonly unknown[]): boolean =>
  Object.getPrototypeOf(array) === Array.prototype && Object.values(array).length === array.length

export function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(object).length === 0
}

import { isForbiddenKey } from '../path/path.ts'

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

/** Looks no deeper than that: what somebody has nested a thousandfold would end any walk that goes all the way. */
export const isDeeper = (value: unknown, levels = JSON_LIMITS.depth): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)))

/** Finite, and not -0, which JSON.stringify writes as 0. */
export const isExact = (value: number): boolean => value - value === 0 && (value !== 0 || 1 / value > 0)

export const isStorableKey = (key: string): boolean => !isForbiddenKey(key) && key.isWellFormed()

/** Neither holes nor named members: only then has Object.values as many elements as the array. */
export const isPlainArray = (array: readonly unknown[]): boolean =>
  isListPrototype(Object.getPrototypeOf(array)) && Object.values(array).length === array.length

export const isPlainObject = (object: object): boolean =>
  isObjectPrototype(Object.getPrototypeOf(object)) && Object.getOwnPropertySymbols(object).length === 0

/** Of any realm: under Jest, what fetch and structuredClone make is of that of Node. */
export const isObjectPrototype = (prototype: unknown): boolean =>
  prototype === Object.prototype || prototype === null || isRoot(prototype)

export const isListPrototype = (prototype: unknown): boolean =>
  prototype === Array.prototype || (Array.isArray(prototype) && isRoot(Object.getPrototypeOf(prototype)))

const isRoot = (prototype: unknown): boolean =>
  typeof prototype === 'object' &&
  prototype !== null &&
  Object.getPrototypeOf(prototype) === null &&
  Object.hasOwn(prototype, 'isPrototypeOf')

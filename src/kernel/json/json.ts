/*
 * Values that a log may hold: plain JSON that is the same value after any number of writes and reads.
 *
 * J1. Only null, booleans, finite numbers but -0, well-formed strings, arrays without holes and plain objects.
 * J2. Nothing is dropped or converted silently: what JSON.stringify would change is refused, naming its place.
 * J3. Depth and size are bounded, so that no reader of a log can be made to overflow.
 */
import { failAt } from './locate.ts'
import { isExact, isListPrototype, isPlainObject, isStorableKey, JSON_LIMITS, type JsonLimits } from './rules.ts'

export { canonicalJson } from './canonical.ts'
export { JSON_LIMITS, type JsonLimits } from './rules.ts'

/**
 * A copy of `value` that may be stored, of which each part was read once: what a getter or a proxy says the next time, and
 * what the caller changes later, is nowhere. Throws VALUE_NOT_JSON, VALUE_TOO_DEEP, VALUE_TOO_LARGE or KEY_FORBIDDEN.
 */
export function ownJson(value: unknown, limits: JsonLimits = JSON_LIMITS): unknown {
  left = limits.size
  const own = taken(value, limits.depth)
  // The walk keeps no paths; only a value that fails is walked again to say where.
  return own === WRONG || left < 0 ? failAt(value, limits) : own
}

/** Returns when `value` may be stored; else throws as `ownJson` does. */
export function checkJson(value: unknown, limits: JsonLimits = JSON_LIMITS): void {
  ownJson(value, limits)
}

const WRONG = Symbol('wrong')
/** Of the size, in the walk under way. */
let left = 0

function taken(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      left -= value.length + 2
      return value.isWellFormed() ? value : WRONG
    case 'number':
      left -= 1
      return isExact(value) ? value : WRONG
    case 'boolean':
      left -= 4
      return value
    case 'object':
      if (value === null) left -= 4
      else {
        left -= 2
        if (depth === 0 || left < 0) return WRONG
        return Array.isArray(value) ? takenArray(value, depth - 1) : takenObject(value, depth - 1)
      }
      return value
    default:
      return WRONG
  }
}

function takenArray(array: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = Object.values(array)
  if (!isListPrototype(Object.getPrototypeOf(array)) || copy.length !== array.length) return WRONG
  for (let i = 0; i < copy.length; i++) {
    left -= 1
    const own = taken(copy[i], depth)
    if (own === WRONG || left < 0) return WRONG
    copy[i] = own
  }
  return copy
}

function takenObject(object: object, depth: number): unknown {
  if (!isPlainObject(object)) return WRONG
  const copy: Record<string, unknown> = { ...object }
  for (const key in copy) {
    if (!isStorableKey(key)) return WRONG
    left -= key.length + 4
    const each = copy[key]
    const own = taken(each, depth)
    if (own === WRONG || left < 0) return WRONG
    // A text or a number is its own copy.
    if (own !== each) copy[key] = own
  }
  return copy
}

/** Below the blank. */
const CONTROL = /[^ -\uffff]/

/** JSON.stringify for a value that checkJson let pass; a text takes half the time. */
export const jsonText = (value: unknown): string =>
  typeof value === 'string' && isVerbatim(value) ? `"${value}"` : JSON.stringify(value)

/** Whether a string stands in JSON as it is. Four searches of one kind each are quicker than one for all. */
const isVerbatim = (text: string): boolean =>
  !text.includes('"') && !text.includes('\\') && !CONTROL.test(text) && text.isWellFormed()

/*
 * What was asked for, as it was when it was asked: the answer comes later, and meanwhile the caller may fill the same object
 * anew for the next call.
 */
import { isObjectPrototype, isPlainArray, JSON_LIMITS } from './rules.ts'

/** Of the size, in the walk under way: a value that holds itself has no end. */
let left = 0

/** What is no JSON, or too much of it, is handed on as it is: whoever refuses it says where it stands. */
export function asAsked<T>(value: T): T {
  left = JSON_LIMITS.size
  try {
    // The copy has the shape of the original.
    return copied(value, JSON_LIMITS.depth) as T
  } catch {
    // A getter or a proxy threw, and will again.
    return value
  }
}

function copied(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0 || left < 0) return value
  left -= 1
  if (Array.isArray(value)) return isPlainArray(value) ? value.map((each) => copied(each, depth - 1)) : value
  return isObjectPrototype(Object.getPrototypeOf(value)) ? copiedObject(value, depth - 1) : value
}

/** Symbols go with it, to be refused as they were. */
function copiedObject(value: object, depth: number): object {
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const each = copy[key]
    if (typeof each === 'object' && each !== null) copy[key] = copied(each, depth)
  }
  return copy
}

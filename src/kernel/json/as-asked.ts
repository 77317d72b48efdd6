/*
 * What was asked for, as it was when it was asked: the answer comes later, and meanwhile the caller may fill the same object
 * anew for the next call.
 */
import { isObjectPrototype, isPlainArray, JSON_LIMITS } from './rules.ts'

/** What is asked may lie deeper in it than in the event that it becomes, whose depth is what counts. */
const DEEPEST = JSON_LIMITS.depth + 16
/** Of the size, in the walk under way. */
let left = 0
/** What is copied of a value that holds itself holds itself no more, and has no end. */
let isTooDeep = false

/** What is no JSON, or too much of it, is handed on as it is: whoever refuses it says where it stands. */
export function asAsked<T>(value: T): T {
  left = JSON_LIMITS.size
  isTooDeep = false
  try {
    const copy = copied(value, DEEPEST)
    // The copy has the shape of the original.
    return isTooDeep ? value : (copy as T)
  } catch {
    // A getter or a proxy threw, and will again.
    return value
  }
}

function copied(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || isTooDeep || left < 0) return value
  isTooDeep = depth === 0
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

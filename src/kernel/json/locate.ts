import { EngineError, type ErrorCode } from '../error.ts'
import { formatPath, isForbiddenKey } from '../path/path.ts'
import { isExact, isPlainArray, isPlainObject, type JsonLimits } from './rules.ts'

interface Walk {
  readonly limits: JsonLimits
  readonly keys: (string | number)[]
  readonly ancestors: object[]
  left: number
}

/** Finds the first place where a value that checkJson refused breaks a rule, and throws. */
export function failAt(value: unknown, limits: JsonLimits): never {
  const walk: Walk = { limits, keys: [], ancestors: [], left: limits.size }
  visit(walk, value)
  fail(walk, 'VALUE_NOT_JSON', 'changed while it was checked')
}

function visit(walk: Walk, value: unknown): void {
  if (typeof value === 'object' && value !== null) return visitContainer(walk, value)
  spend(walk, typeof value === 'string' ? value.length + 2 : typeof value === 'number' ? 1 : 4)
  const wrong = wrongScalar(value)
  if (wrong !== undefined) fail(walk, 'VALUE_NOT_JSON', wrong)
}

function wrongScalar(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : 'holds half of a surrogate pair, which UTF-8 cannot carry'
    case 'number':
      if (isExact(value)) return undefined
      return `is ${Object.is(value, -0) ? '-0' : value}, which JSON has no way to keep`
    case 'boolean':
    case 'object':
      return undefined
    case 'bigint':
      return 'is a bigint; write it as a string'
    case 'undefined':
      return 'is undefined; leave it out or write null'
    default:
      return `is a ${typeof value}`
  }
}

function visitContainer(walk: Walk, value: object): void {
  const { ancestors, keys, limits } = walk
  const cycle = ancestors.indexOf(value)
  if (cycle >= 0) fail(walk, 'VALUE_NOT_JSON', `refers back to ${formatPath(keys.slice(0, cycle))}`)
  if (ancestors.length >= limits.depth)
    fail(walk, 'VALUE_TOO_DEEP', `is deeper than the ${limits.depth} levels allowed`)
  spend(walk, 2)
  ancestors.push(value)
  if (Array.isArray(value)) visitArray(walk, value)
  else visitObject(walk, value)
  ancestors.pop()
}

function visitArray(walk: Walk, array: readonly unknown[]): void {
  if (!isPlainArray(array)) {
    const what = array.includes(undefined) ? 'has holes or undefined elements' : 'has members beside its elements'
    fail(walk, 'VALUE_NOT_JSON', `is an array that ${what}`)
  }
  array.forEach((element, index) => visitMember(walk, index, element, 1))
}

function visitObject(walk: Walk, object: object): void {
  if (!isPlainObject(object)) fail(walk, 'VALUE_NOT_JSON', `is a ${kindOf(object)}, not a plain object`)
  for (const key in object) {
    if (isForbiddenKey(key)) fail(walk, 'KEY_FORBIDDEN', `has the key ${JSON.stringify(key)}, which is never stored`)
    if (!key.isWellFormed())
      fail(walk, 'VALUE_NOT_JSON', `has the key ${JSON.stringify(key)} with half of a surrogate pair`)
    // `key` was just enumerated from this object.
    visitMember(walk, key, (object as Record<string, unknown>)[key], key.length + 4)
  }
}

function visitMember(walk: Walk, key: string | number, value: unknown, cost: number): void {
  walk.keys.push(key)
  spend(walk, cost)
  visit(walk, value)
  walk.keys.pop()
}

function spend(walk: Walk, size: number): void {
  walk.left -= size
  if (walk.left < 0)
    fail(walk, 'VALUE_TOO_LARGE', `goes beyond the ${walk.limits.size} characters allowed in one value`)
}

function kindOf(object: object): string {
  if (Object.getOwnPropertySymbols(object).length > 0) return 'object with symbol keys'
  // An object may call itself anything, or nothing.
  const name: unknown = (Object.getPrototypeOf(object) as { readonly constructor?: { readonly name?: unknown } } | null)
    ?.constructor?.name
  return typeof name === 'string' && name !== '' && name !== 'Object' ? name : 'object with another prototype'
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  VALUE_TOO_LARGE: 'store large content in a file or a blob and keep its path here',
  VALUE_TOO_DEEP: 'flatten the value, or store it as text',
  KEY_FORBIDDEN: 'rename the key',
}

function fail(walk: Walk, code: ErrorCode, what: string): never {
  const path = formatPath(walk.keys)
  throw new EngineError(code, `the value at ${path.length > 200 ? `${path.slice(0, 200)}…` : path} ${what}`, {
    hint: HINTS[code] ?? 'store plain JSON: text, finite numbers, true, false, null, arrays and objects',
    details: { path: path.slice(0, 2000) },
  })
}

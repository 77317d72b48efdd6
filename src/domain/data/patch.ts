/*
 * RFC 6902: an ordered list of changes that takes effect whole or not at all.
 *
 * P1. The document is not changed: what a change touches is copied on the way, all else is shared with the result.
 * P2. Each operation sees what the ones before it left.
 * P3. What cannot be done is an error that names the operation; a `test` that fails has a code of its own.
 */
import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { canonicalJson } from '../../kernel/json.ts'
import { indexOf, parsePointer } from './pointer.ts'

const OPS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

/** What an operation needs besides `op` and `path` is checked when it is applied. */
export const patchSchema = () => {
  const path = z.string().check(z.maxLength(4096))
  return z.array(z.object({ op: z.enum(OPS), path, from: z.optional(path), value: z.optional(z.unknown()) }))
}

export type PatchOperation = z.output<ReturnType<typeof patchSchema>>[number]

/** Throws PATCH_INVALID, TEST_FAILED or KEY_FORBIDDEN, with the number of the operation from 0. */
export function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  let result = document
  patch.forEach((operation, number) => {
    try {
      result = apply(result, operation)
    } catch (error) {
      throw error instanceof EngineError ? located(error, operation, number) : error
    }
  })
  return result
}

function located(
  { code, message, hint, details }: EngineError,
  { op, path: where }: PatchOperation,
  number: number,
): EngineError {
  const more = { ...details, operation: number, op, path: where }
  return new EngineError(
    code,
    `operation ${number} (${op} ${where}): ${message}`,
    hint === undefined ? { details: more } : { hint, details: more },
  )
}

function apply(document: unknown, { op, path: pointer, from, value }: PatchOperation): unknown {
  const to = parsePointer(pointer)
  switch (op) {
    case 'add':
      return add(document, to, needed(value, 'value'))
    case 'remove':
      return remove(document, to)
    case 'replace':
      return replace(document, to, needed(value, 'value'))
    case 'copy':
      return add(document, to, valueAt(document, parsePointer(needed(from, 'from'))))
    case 'move':
      return move(document, parsePointer(needed(from, 'from')), to)
    case 'test':
      return test(document, to, needed(value, 'value'))
  }
}

function needed<T>(member: T | undefined, name: string): T {
  if (member === undefined) throw invalid(`it needs a "${name}"`)
  return member
}

function move(document: unknown, from: readonly string[], to: readonly string[]): unknown {
  const value = valueAt(document, from)
  if (from.length === to.length && from.every((token, i) => token === to[i])) return document
  if (from.every((token, i) => token === to[i])) throw invalid('a value cannot be moved into itself')
  return add(remove(document, from), to, value)
}

function test(document: unknown, at: readonly string[], wanted: unknown): unknown {
  const found = valueAt(document, at)
  if (canonicalJson(found) === canonicalJson(wanted)) return document
  throw new EngineError('TEST_FAILED', `found ${brief(found)}, not ${brief(wanted)}`, {
    hint: 'read the state again, then decide again',
  })
}

const brief = (value: unknown): string => JSON.stringify(value).slice(0, 80)

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function valueAt(document: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((value, token) => child(value, token), document)
}

function child(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return value[existing(value, token)]
  if (isMembers(value) && Object.hasOwn(value, token)) return value[token]
  throw absent(token)
}

/** Rebuilds what lies on the way to the container of the last token, which `change` gives anew. */
function within(
  document: unknown,
  at: readonly string[],
  change: (container: unknown, token: string) => unknown,
): unknown {
  const [token, ...rest] = at
  if (token === undefined) throw invalid('the whole document cannot be changed')
  if (rest.length === 0) return change(document, token)
  const inner = within(child(document, token), rest, change)
  if (Array.isArray(document)) return document.with(existing(document, token), inner)
  return { ...(isMembers(document) ? document : {}), [token]: inner }
}

function add(document: unknown, at: readonly string[], value: unknown): unknown {
  return within(document, at, (container, token) => {
    if (Array.isArray(container)) return container.toSpliced(place(container, token), 0, value)
    if (isMembers(container)) return { ...container, [token]: value }
    throw invalid(`there is no object or list to put "${token}" into`)
  })
}

function remove(document: unknown, at: readonly string[]): unknown {
  return within(document, at, (container, token) => {
    if (Array.isArray(container)) return container.toSpliced(existing(container, token), 1)
    if (!isMembers(container) || !Object.hasOwn(container, token)) throw absent(token)
    return Object.fromEntries(Object.entries(container).filter(([key]) => key !== token))
  })
}

function replace(document: unknown, at: readonly string[], value: unknown): unknown {
  return within(document, at, (container, token) => {
    if (Array.isArray(container)) return container.with(existing(container, token), value)
    if (!isMembers(container) || !Object.hasOwn(container, token)) throw absent(token)
    return { ...container, [token]: value }
  })
}

/** Where `add` may put an item: an index up to the length, or `-` for the end. */
function place(list: readonly unknown[], token: string): number {
  const index = token === '-' ? list.length : indexOf(token)
  if (index !== undefined && index <= list.length) return index
  throw invalid(`"${token}" is no place in a list of ${list.length}`)
}

function existing(list: readonly unknown[], token: string): number {
  const index = indexOf(token)
  if (index !== undefined && index < list.length) return index
  throw absent(token)
}

const absent = (token: string): EngineError => invalid(`there is no "${token}"`)

const invalid = (message: string): EngineError =>
  new EngineError('PATCH_INVALID', message, { hint: 'steadfold state get shows what is there' })

/*
 * RFC 6902: an ordered list of changes that takes effect whole or not at all.
 *
 * P1. The document is not changed: what a change touches is copied on the way, once, all else is shared with the result.
 * P2. Each operation sees what the ones before it left.
 * P3. What cannot be done is an error that names the operation; a `test` that fails has a code of its own.
 */
import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { canonicalJson } from '../../kernel/json/json.ts'
import { isMembers } from '../../kernel/json/members.ts'
import { indexOf, parsePointer } from './pointer.ts'

const OPS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

/** What an operation needs besides `op` and `path` is checked when it is applied. */
export const patchSchema = () => {
  const path = z.string().check(z.maxLength(4096))
  return z.array(z.object({ op: z.enum(OPS), path, from: z.optional(path), value: z.optional(z.unknown()) }))
}

export type PatchOperation = z.output<ReturnType<typeof patchSchema>>[number]

/** Objects and lists that this patch has made: they stand in one place, and nobody else sees them. */
type Own = Set<unknown>

/** Throws PATCH_INVALID, TEST_FAILED or KEY_FORBIDDEN, with the number of the operation from 0. */
export function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  const own: Own = new Set()
  let result = document
  patch.forEach((operation, number) => {
    try {
      result = apply(result, operation, own)
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

function apply(document: unknown, { op, path: pointer, from, value }: PatchOperation, own: Own): unknown {
  const to = parsePointer(pointer)
  switch (op) {
    case 'add':
      return within(document, to, own, adding(needed(value, 'value')))
    case 'remove':
      return within(document, to, own, removing)
    case 'replace':
      return within(document, to, own, replacing(needed(value, 'value')))
    case 'copy':
      return within(document, to, own, adding(shared(document, needed(from, 'from'), own)))
    case 'move':
      return move(document, { from: parsePointer(needed(from, 'from')), to }, own)
    case 'test':
      return test(document, to, needed(value, 'value'))
  }
}

/** It stands in two places from now on, with all that is in it. */
function shared(document: unknown, from: string, own: Own): unknown {
  const value = valueAt(document, parsePointer(from))
  if (typeof value === 'object') own.clear()
  return value
}

function needed<T>(member: T | undefined, name: string): T {
  if (member === undefined) throw invalid(`it needs a "${name}"`)
  return member
}

interface Move {
  readonly from: readonly string[]
  readonly to: readonly string[]
}

function move(document: unknown, { from, to }: Move, own: Own): unknown {
  const value = valueAt(document, from)
  if (from.length === to.length && from.every((token, i) => token === to[i])) return document
  if (from.every((token, i) => token === to[i])) throw invalid('a value cannot be moved into itself')
  return within(within(document, from, own, removing), to, own, adding(value))
}

function test(document: unknown, at: readonly string[], wanted: unknown): unknown {
  const found = valueAt(document, at)
  if (canonicalJson(found) === canonicalJson(wanted)) return document
  throw new EngineError('TEST_FAILED', `found ${brief(found)}, not ${brief(wanted)}`, {
    hint: 'read the state again, then decide again',
  })
}

const brief = (value: unknown): string => JSON.stringify(value).slice(0, 80)

function valueAt(document: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((value, token) => child(value, token), document)
}

function child(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return value[existing(value, token)]
  if (isMembers(value) && Object.hasOwn(value, token)) return value[token]
  throw absent(token)
}

type Members = Record<string, unknown>
type Container = Members | unknown[]

/** In a container that is the patch's own; throws before it changes anything. */
type Change = (container: Container, token: string) => void

/** Makes what lies on the way its own, and changes the container of the last token. */
function within(document: unknown, at: readonly string[], own: Own, change: Change): unknown {
  const [token, ...rest] = at
  if (token === undefined) throw invalid('the whole document cannot be changed')
  if (typeof document !== 'object' || document === null)
    throw invalid(`there is no object or list that could hold "${token}"`)
  // Plain JSON.
  const mine: Container = own.has(document) ? (document as Container) : copied(document)
  own.add(mine)
  if (rest.length === 0) change(mine, token)
  else put(mine, token, within(child(mine, token), rest, own, change))
  return mine
}

const copied = (container: object): Container => (Array.isArray(container) ? [...container] : { ...container })

function put(container: Container, token: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(token)] = value
  else container[token] = value
}

const adding =
  (value: unknown): Change =>
  (container, token) => {
    if (Array.isArray(container)) container.splice(place(container, token), 0, value)
    else container[token] = value
  }

const removing: Change = (container, token) => {
  child(container, token)
  if (Array.isArray(container)) container.splice(Number(token), 1)
  else delete container[token]
}

const replacing =
  (value: unknown): Change =>
  (container, token) => {
    child(container, token)
    put(container, token, value)
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

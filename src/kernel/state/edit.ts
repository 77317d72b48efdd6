/*
 * The only way `evolve` changes state, so that a change can be taken back.
 *
 * E1. Undoing a journal gives back exactly what was there before; only the order of members in an object may be another, which
 *     it tells.
 * E2. Values that enter the state live are copied: neither the caller nor an event can change them later.
 */
import { EngineError } from '../error.ts'
import { isMembers } from '../json/members.ts'

export type Container = Record<string, unknown> | unknown[]

export interface Edit {
  set(target: Container, key: string | number, value: unknown): void
  remove(target: Record<string, unknown>, key: string): void
  /** Takes an item out of a list; those behind it move up. */
  cut(target: unknown[], index: number): void
  /** A value of an event on its way into the state. */
  own<T>(value: T): T
}

/** For replay: the parsed commits belong to nobody else, and nothing is taken back. */
export const replaying: Edit = {
  set: write,
  remove: (target, key) => {
    delete target[key]
  },
  cut: (target, index) => void target.splice(index, 1),
  own: (value) => value,
}

/** In the place of whether the key was there: what stood behind it moved up. */
const CUT = Symbol('cut')

/** For live writes. */
export class Journal implements Edit {
  // Four entries a change: target, key, had it, old value. Flat, because this is the hot path.
  readonly #undo: unknown[] = []
  #isReordered = false

  set(target: Container, key: string | number, value: unknown): void {
    this.#undo.push(target, key, Object.hasOwn(target, key), read(target, key))
    write(target, key, value)
  }

  remove(target: Record<string, unknown>, key: string): void {
    if (!Object.hasOwn(target, key)) return
    this.#undo.push(target, key, true, target[key])
    delete target[key]
  }

  cut(target: unknown[], index: number): void {
    this.#undo.push(target, index, CUT, target[index])
    target.splice(index, 1)
  }

  own<T>(value: T): T {
    return copyJson(value)
  }

  /** E1 */
  get isReordered(): boolean {
    return this.#isReordered
  }

  get mark(): number {
    return this.#undo.length
  }

  /** Takes back everything since `mark`. */
  rollback(mark = 0): void {
    const undo = this.#undo
    for (let i = undo.length - 4; i >= mark; i -= 4) {
      this.#isReordered ||= isGone(undo[i], undo[i + 1], undo[i + 2])
      restore(undo[i], undo[i + 1], undo[i + 2], undo[i + 3])
    }
    undo.length = mark
  }

  clear(): void {
    this.#undo.length = 0
  }
}

/** Copies plain JSON. */
export function copyJson<T>(value: T): T {
  // The copy has the shape of the original.
  return (typeof value === 'object' && value !== null ? copyContainer(value) : value) as T
}

function copyContainer(value: object): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  // A spread copies the shape at once; only what is nested needs a look.
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const each = copy[key]
    if (typeof each === 'object' && each !== null) copy[key] = copyContainer(each)
  }
  return copy
}

function read(target: Container, key: string | number): unknown {
  return Array.isArray(target) ? target[Number(key)] : target[key]
}

function write(target: Container, key: string | number, value: unknown): void {
  if (Array.isArray(target)) target[Number(key)] = value
  else target[key] = value
}

/** It comes back behind all others. */
const isGone = (target: unknown, key: unknown, had: unknown): boolean =>
  had === true && isMembers(target) && !Object.hasOwn(target, String(key))

function restore(target: unknown, key: unknown, had: unknown, old: unknown): void {
  if (Array.isArray(target)) {
    if (had === CUT) target.splice(Number(key), 0, old)
    else if (had === true) target[Number(key)] = old
    else target.length = Number(key)
  } else if (isMembers(target)) {
    if (had === true) target[String(key)] = old
    else delete target[String(key)]
  } else throw new EngineError('UNEXPECTED', 'a journal entry without a container')
}

/*
 * Whether a commit changes the value at a path, told by what it writes: the value itself may be large, and commits many.
 *
 * W1. What is compared is what was written: the value as a whole only where another one took its place.
 * W2. A value that is in the end what it was before was not changed. Only where one commit writes into a value and then
 *     puts another in its place, that counts as a change, whatever the other one is.
 */
import { copyJson, replaying, type Container, type Edit } from '../state/edit.ts'

/** In the place of a key: the list as a whole. */
const WHOLE = Symbol('whole')

/** Folds like any other, and looks after the value that `read` finds. */
export class Watched implements Edit {
  readonly #read: () => unknown
  #value: unknown
  /** The containers of the value, and at how many places of it each stands: a move may first bring, then take away. */
  #inside = new WeakMap<object, number>()
  /** Those that this commit brought: what is written into them is told by their place. */
  #fresh = new WeakSet<object>()
  /** What stood where this commit wrote, as text; undefined for nothing. */
  readonly #written = new Map<Container, Map<string | number | symbol, string | undefined>>()

  constructor(read: () => unknown) {
    this.#read = read
    this.isChanged()
  }

  own<T>(value: T): T {
    return copyJson(value)
  }

  set(target: Container, key: string | number, value: unknown): void {
    const times = this.#replace(target, key)
    replaying.set(target, key, value)
    if (times > 0) this.#count(value, times, this.#fresh)
  }

  remove(target: Record<string, unknown>, key: string): void {
    this.#replace(target, key)
    replaying.remove(target, key)
  }

  cut(target: unknown[], index: number): void {
    const times = this.#timesOf(target)
    if (times > 0) {
      this.#note(target, WHOLE)
      this.#count(target[index], -times)
    }
    replaying.cut(target, index)
  }

  /** Of the commit that was just folded. */
  isChanged(): boolean {
    const before = this.#value
    this.#value = this.#read()
    const isOther = this.#value !== before
    const isChanged = isOther
      ? this.#written.size > 0 || JSON.stringify(before) !== JSON.stringify(this.#value)
      : this.#isWritten()
    if (isOther) this.#begin(this.#value)
    if (this.#written.size > 0) this.#fresh = new WeakSet()
    this.#written.clear()
    return isChanged
  }

  #begin(value: unknown): void {
    this.#inside = new WeakMap()
    this.#count(value, 1)
  }

  /** How many times what stands there does so in the value. */
  #replace(target: Container, key: string | number): number {
    const times = this.#timesOf(target)
    if (times === 0) return 0
    this.#note(target, key)
    this.#count(valueAt(target, key), -times)
    return times
  }

  #timesOf(container: object): number {
    return this.#inside.get(container) ?? 0
  }

  #isWritten(): boolean {
    for (const [target, places] of this.#written)
      for (const [key, before] of places) if (textAt(target, key) !== before) return true
    return false
  }

  #note(target: Container, key: string | number | symbol): void {
    if (this.#fresh.has(target)) return
    const places = this.#written.get(target) ?? new Map<string | number | symbol, string | undefined>()
    this.#written.set(target, places)
    if (!places.has(key)) places.set(key, textAt(target, key))
  }

  #count(value: unknown, by: number, among?: WeakSet<object>): void {
    if (typeof value !== 'object' || value === null) return
    this.#inside.set(value, this.#timesOf(value) + by)
    among?.add(value)
    for (const each of Object.values(value)) this.#count(each, by, among)
  }
}

const textAt = (target: Container, key: string | number | symbol): string | undefined =>
  JSON.stringify(key === WHOLE ? target : valueAt(target, key))

const valueAt = (target: Container, key: string | number | symbol): unknown =>
  // A list is asked for its places by numbers, and for nothing else.
  Object.hasOwn(target, key) ? (target as Readonly<Record<string | number | symbol, unknown>>)[key] : undefined

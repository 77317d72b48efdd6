/*
 * Which places of the tree a commit changes, found where the changes are made.
 *
 * T1. Told is the highest place that was written; what was written below it in the same commit is part of that.
 * T2. A place that holds in the end what it held before was not changed.
 */
import { getAt, type Keys } from '../path/path.ts'
import { copyJson, replaying, type Container, type Edit } from '../state/edit.ts'

export interface Touch {
  readonly keys: Keys
  readonly before: unknown
  readonly after: unknown
}

type Place = readonly [above: Container, key: string | number]

/** Folds like any other, and remembers where each container stands. */
export class Touches implements Edit {
  readonly #root: Container
  readonly #places = new WeakMap<object, Place>()
  /** By place, what was there before, as text; undefined for nothing. */
  readonly #written = new Map<string, readonly [keys: Keys, before: string | undefined]>()

  constructor(root: Container) {
    this.#root = root
    for (const [key, value] of Object.entries(root)) this.#stand(value, root, key)
  }

  own<T>(value: T): T {
    return copyJson(value)
  }

  set(target: Container, key: string | number, value: unknown): void {
    this.#note(target, key)
    replaying.set(target, key, value)
    this.#stand(value, target, key)
  }

  remove(target: Record<string, unknown>, key: string): void {
    this.#note(target, key)
    replaying.remove(target, key)
  }

  /** The list as a whole: its items stand elsewhere now. */
  cut(target: unknown[], index: number): void {
    const place = this.#places.get(target)
    if (place !== undefined) this.#note(...place)
    replaying.cut(target, index)
    if (place !== undefined) this.#stand(target, ...place)
  }

  /** Of the commit that was just folded. */
  take(): readonly Touch[] {
    const touches = [...this.#written.values()].flatMap(([keys, before]): readonly Touch[] => {
      const after = getAt(this.#root, keys)
      if (JSON.stringify(after) === before) return []
      return [{ keys, before: before === undefined ? undefined : (JSON.parse(before) as unknown), after }]
    })
    this.#written.clear()
    return touches
  }

  #note(target: Container, key: string | number): void {
    const keys = [...this.#keysOf(target), key]
    for (let length = 1; length <= keys.length; length++) if (this.#written.has(nameOf(keys.slice(0, length)))) return
    this.#written.set(nameOf(keys), [keys, JSON.stringify(getAt(target, [key]))])
  }

  #keysOf(container: Container): Keys {
    const place = this.#places.get(container)
    return place === undefined ? [] : [...this.#keysOf(place[0]), place[1]]
  }

  #stand(value: unknown, ...place: Place): void {
    if (!isContainer(value)) return
    this.#places.set(value, place)
    if (Array.isArray(value)) value.forEach((each, i) => this.#stand(each, value, i))
    else for (const key in value) this.#stand(value[key], value, key)
  }
}

/** A place of a list is called as a member of that name would be. */
export const nameOf = (keys: Keys): string => keys.map((key) => JSON.stringify(String(key))).join()

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

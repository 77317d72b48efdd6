/*
 * RFC 8785: members sorted by UTF-16 code units, no white space, scalars as ECMAScript writes them.
 *
 *   value ──copy of what is not sorted──► JSON.stringify
 *
 * JSON.stringify is several times faster than text put together here, but an engine lists integer-like keys first and
 * by number ("2" before "10"). Objects where that differs from the sorted order, and what holds them, become Text.
 */

/** The canonical text of a value that checkJson let pass; others are not diagnosed. */
export const canonicalJson = (value: unknown): string => canonicalForm().text(value)

/** How a value is written. */
export interface Form {
  /** In the order in which they are written. */
  keys(object: object): readonly string[]
  text(value: unknown): string
}

/** For many values: what they have mostly for members is sorted once. */
export function canonicalForm(): Form {
  const shapes: Shape[] = []
  return { keys: (object) => Object.keys(object).toSorted(), text: (value) => textOf(sorted(value, shapes, 0)) }
}

class Text {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Keys of the last object seen at a depth, as listed and as sorted: neighbours mostly have the same. */
interface Shape {
  readonly listed: readonly string[]
  readonly sorted: readonly string[]
  /** Whether an object made in sorted order lists its keys in that order. */
  readonly keepsOrder: boolean
  readonly isSorted: boolean
}

type Tree = Record<string, unknown>

const textOf = (copy: unknown): string => (copy instanceof Text ? copy.text : JSON.stringify(copy))

function sorted(value: unknown, shapes: Shape[], depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  // What is neither scalar nor array is an object, by the contract of canonicalJson.
  return Array.isArray(value) ? sortedArray(value, shapes, depth) : sortedObject(value as Tree, shapes, depth)
}

function sortedArray(array: readonly unknown[], shapes: Shape[], depth: number): unknown {
  let hasText = false
  let isSame = true
  const copy: unknown[] = []
  for (const element of array) {
    const item = sorted(element, shapes, depth + 1)
    if (item !== element) isSame = false
    if (item instanceof Text) hasText = true
    copy.push(item)
  }
  if (isSame) return array
  return hasText ? new Text(`[${copy.map(textOf).join(',')}]`) : copy
}

function sortedObject(object: Tree, shapes: Shape[], depth: number): unknown {
  const { sorted: keys, keepsOrder, isSorted } = shapeOf(object, shapes, depth)
  let hasText = !keepsOrder
  let isSame = isSorted
  const copy: Tree = {}
  for (const key of keys) {
    const item = sorted(object[key], shapes, depth + 1)
    if (item !== object[key]) isSame = false
    if (item instanceof Text) hasText = true
    copy[key] = item
  }
  if (isSame) return object
  return hasText ? new Text(`{${keys.map((key) => `${JSON.stringify(key)}:${textOf(copy[key])}`).join(',')}}`) : copy
}

function shapeOf(object: Tree, shapes: Shape[], depth: number): Shape {
  const listed = Object.keys(object)
  const last = shapes[depth]
  if (last !== undefined && isSameList(last.listed, listed)) return last
  const keys = listed.toSorted()
  const relisted = keys.some(startsWithDigit) ? Object.keys(Object.fromEntries(keys.map((key) => [key, 0]))) : keys
  const shape = { listed, sorted: keys, keepsOrder: isSameList(relisted, keys), isSorted: isSameList(listed, keys) }
  shapes[depth] = shape
  return shape
}

function startsWithDigit(key: string): boolean {
  const first = key.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/*
 * A large state in pieces, so that a program that ends after one command parses only what it looks at.
 *
 *   state text   {"session":{…},"data":{"reports":{"r0":…,"r1":…, … },"topic":"auth"}, … }
 *   its part     [bytes, 80, ["data", [bytes, ["reports", [bytes, 16300, 16290, …]], 14]], …]
 *
 * Q1. A part is the length of an object's text, then its members in order: the bytes of a run of small ones, commas between
 *     them included, or the key and the part of a large one.
 * Q2. Objects made of pieces read as if they had been parsed whole: same members, same order, same values.
 * Q3. A large member is parsed when it is read or written, and is a plain member from then on.
 */
import { getAt, type Keys } from '../path/path.ts'

export type Part = readonly [bytes: number, ...items: readonly Item[]]
type Item = number | readonly [key: string, part: Part]

/** Objects with longer texts have parts; what is parsed at once is a run. */
const LARGE = 16 * 1024
const RUN = 4 * 1024
const DEEPEST = 3
const BRACE = 1
const COMMA = 1
const COLON = 1

/** Undefined for what is small, or no object. */
export function partOf(value: unknown): Part | undefined {
  return measured(value, 0).part
}

interface Measured {
  readonly bytes: number
  readonly part?: Part
}

function measured(value: unknown, depth: number): Measured {
  if (depth === DEEPEST || typeof value !== 'object' || value === null || Array.isArray(value))
    return { bytes: lengthOf(JSON.stringify(value)) }
  const items: Item[] = []
  let bytes = BRACE
  let run = 0
  for (const [key, member] of Object.entries(value)) {
    const { bytes: size, part } = measured(member, depth + 1)
    const whole = lengthOf(JSON.stringify(key)) + COLON + size
    bytes += whole + COMMA
    if (run > 0 && (part !== undefined || run + COMMA + whole > RUN)) {
      items.push(run)
      run = 0
    }
    if (part === undefined) run += (run > 0 ? COMMA : 0) + whole
    else items.push([key, part])
  }
  if (run > 0) items.push(run)
  // The last brace stands where the last comma does not; an object without members has both braces.
  if (bytes === BRACE) bytes++
  // That one member cannot be assigned.
  return bytes > LARGE && !Object.hasOwn(value, '__proto__') ? { bytes, part: [bytes, ...items] } : { bytes }
}

const lengthOf = (text: string): number => Buffer.byteLength(text)

interface Run {
  readonly from: number
  readonly to: number
}

interface Large {
  readonly key: string
  readonly from: number
  readonly part: Part
}

function* laid([, ...items]: Part, start: number): Generator<Run | Large> {
  let from = start + BRACE
  for (const item of items) {
    if (typeof item === 'number') {
      yield { from, to: from + item }
      from += item + COMMA
    } else {
      const [key, part] = item
      from += lengthOf(JSON.stringify(key)) + COLON
      yield { key, from, part }
      from += part[0] + COMMA
    }
  }
}

/** Not parsed yet: the member of an object, by its key. */
const waiting = new WeakMap<object, Map<string | number, Piece>>()

class Piece {
  readonly #text: Buffer
  readonly #start: number
  readonly #part: Part

  constructor(text: Buffer, start: number, part: Part) {
    this.#text = text
    this.#start = start
    this.#part = part
  }

  /** Q2. */
  open(): Record<string, unknown> {
    const all = [...laid(this.#part, this.#start)]
    // The text is JSON of an object: a part says so.
    if (!all.some((each) => 'key' in each))
      return JSON.parse(this.#text.toString('utf8', this.#start, this.#start + this.#part[0])) as Record<
        string,
        unknown
      >
    const whole: Record<string, unknown> = {}
    for (const each of all) {
      if ('key' in each) this.#hang(whole, each)
      else Object.assign(whole, this.#members(each))
    }
    return whole
  }

  /** What stands at `keys`, parsing no more than the piece that holds it. */
  find(keys: Keys): unknown {
    const [key, ...rest] = keys
    // A position in a list; this is none.
    if (typeof key !== 'string') return getAt(this.open(), keys)
    const quoted = `${JSON.stringify(key)}:`
    let next = this.#text.indexOf(quoted, this.#start)
    for (const each of laid(this.#part, this.#start)) {
      if (next >= 0 && next < each.from) next = this.#text.indexOf(quoted, each.from)
      if ('key' in each) {
        if (each.key === key) return new Piece(this.#text, each.from, each.part).find(rest)
      } else if (next >= 0 && next < each.to) {
        const members = this.#members(each)
        if (Object.hasOwn(members, key)) return getAt(members[key], rest)
      }
    }
    return undefined
  }

  #members({ from, to }: Run): Record<string, unknown> {
    return JSON.parse(`{${this.#text.toString('utf8', from, to)}}`) as Record<string, unknown>
  }

  /** Q3. */
  #hang(owner: Record<string, unknown>, { key, from, part }: Large): void {
    const piece = new Piece(this.#text, from, part)
    const pieces = waiting.get(owner) ?? new Map<string | number, Piece>()
    waiting.set(owner, pieces.set(key, piece))
    const settle = (value: unknown) => {
      pieces.delete(key)
      Object.defineProperty(owner, key, { value, writable: true, enumerable: true, configurable: true })
      return value
    }
    const lazy = { get: () => settle(piece.open()), set: settle, enumerable: true, configurable: true }
    Object.defineProperty(owner, key, lazy)
  }
}

/** The object whose text and part these are. */
export const fromParts = (text: Buffer, part: Part): Record<string, unknown> => new Piece(text, 0, part).open()

/** As `getAt`, without parsing large members on the way. */
export function peekAt(root: unknown, keys: Keys): unknown {
  let target = root
  for (const [i, key] of keys.entries()) {
    const piece = typeof target === 'object' && target !== null ? pieceAt(target, key) : undefined
    if (piece !== undefined) return piece.find(keys.slice(i + 1))
    target = getAt(target, [key])
  }
  return target
}

/** Undefined also where the member was taken away unread: another may stand in its place. */
function pieceAt(owner: object, key: string | number): Piece | undefined {
  const piece = waiting.get(owner)?.get(key)
  return piece === undefined || Object.getOwnPropertyDescriptor(owner, key)?.get === undefined ? undefined : piece
}

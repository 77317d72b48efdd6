import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256, xxh32 } from './checksums.ts'

const native = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

test('Q1 SHA-256 of every length around a block is what node:crypto has', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length) & 0xff))
    expect(sha256(bytes)).toBe(native(bytes))
  }
})

test('Q1 SHA-256 of any bytes and any text is what node:crypto has', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => sha256(bytes) === native(bytes)))
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256(text) === native(text)))
})

test('Q1 SHA-256 of more than the memory that was there', () => {
  const bytes = Buffer.alloc(1_000_003, 'steadfold')
  expect(sha256(bytes)).toBe(native(bytes))
  expect(sha256('€'.repeat(100_000))).toBe(native('€'.repeat(100_000)))
  expect(sha256(Buffer.alloc(5_000_000))).toBeUndefined()
})

test('XXH32 is the published one, seed 0', () => {
  expect(xxh32('')).toBe('02cc5d05')
  expect(xxh32('a')).toBe('550d7456')
  expect(xxh32('abc')).toBe('32d153ff')
  expect(xxh32('Nobody inspects the spammish repetition')).toBe('e2293b2f')
  // The bytes that the reference implementation checks itself with.
  const bytes = Buffer.alloc(101)
  for (let i = 0, made = 2_654_435_761; i < bytes.length; i++, made = Math.imul(made, made)) bytes[i] = made >>> 24
  expect([1, 14, 101].map((length) => xxh32(bytes.subarray(0, length)))).toEqual(['b85cbee5', 'e5aa0ab4', '1f1aa412'])
})

/** Word by word, as its specification says it. */
function spelledOut(bytes: Buffer): string {
  const [p1, p2, p3, p4, p5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1]
  const turned = (word: number, by: number) => (word << by) | (word >>> (32 - by))
  const lanes = [p1 + p2, p2, 0, -p1].map((word) => word | 0)
  const stripes = Math.floor(bytes.length / 16)
  for (let at = 0; at < 16 * stripes; at += 4) {
    const lane = (at / 4) % 4
    lanes[lane] = Math.imul(turned((lanes[lane] ?? 0) + Math.imul(bytes.readInt32LE(at), p2), 13), p1)
  }
  let sum = stripes > 0 ? lanes.reduce((all, lane, i) => all + turned(lane, [1, 7, 12, 18][i] ?? 0), 0) : p5
  sum = (sum + bytes.length) | 0
  let at = 16 * stripes
  for (; at + 4 <= bytes.length; at += 4) sum = Math.imul(turned(sum + Math.imul(bytes.readInt32LE(at), p3), 17), p4)
  for (; at < bytes.length; at++) sum = Math.imul(turned(sum + Math.imul(bytes[at] ?? 0, p5), 11), p1)
  sum = Math.imul(sum ^ (sum >>> 15), p2)
  sum = Math.imul(sum ^ (sum >>> 13), p3)
  return ((sum ^ (sum >>> 16)) >>> 0).toString(16).padStart(8, '0')
}

test('XXH32 of what is longer than its memory is that of the whole', () => {
  const bytes = Buffer.from(Array.from({ length: 200_003 }, (_, i) => (i * 31 + (i >>> 7)) & 0xff))
  const piece = 64_512
  const edges = [0, 1, 2, 3].flatMap((pieces) => [-17, -16, -1, 0, 1, 15, 16, 17].map((by) => pieces * piece + by))
  for (const length of [...edges.filter((each) => each >= 0), bytes.length]) {
    const some = bytes.subarray(0, length)
    expect(xxh32(some)).toBe(spelledOut(some))
    // What was summed before it leaves nothing behind.
    expect(xxh32('abc')).toBe('32d153ff')
  }
  expect(xxh32('€'.repeat(100_000))).toBe(spelledOut(Buffer.from('€'.repeat(100_000))))
  expect(xxh32(Buffer.alloc(5_000_000))).toBeUndefined()
})

test('XXH32 tells any change of a byte', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, by) => {
        const altered = Uint8Array.from(bytes)
        const place = at % bytes.length
        altered[place] = (altered[place] ?? 0) ^ by
        expect(xxh32(altered)).not.toBe(xxh32(bytes))
      },
    ),
  )
})

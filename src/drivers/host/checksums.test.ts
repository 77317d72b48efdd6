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

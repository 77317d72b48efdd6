import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256, xxh64 } from './checksums.ts'

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

test('XXH64 is the published one, seed 0', () => {
  expect(xxh64('')).toBe('ef46db3751d8e999')
  expect(xxh64('a')).toBe('d24ec4f1a98c6e5b')
  expect(xxh64('abc')).toBe('44bc2cf5ad770999')
  expect(xxh64('Nobody inspects the spammish repetition')).toBe('fbcea83c8a378bf1')
})

test('XXH64 tells any change of a byte', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, by) => {
        const altered = Uint8Array.from(bytes)
        const place = at % bytes.length
        altered[place] = (altered[place] ?? 0) ^ by
        expect(xxh64(altered)).not.toBe(xxh64(bytes))
      },
    ),
  )
})

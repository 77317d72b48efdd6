import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeOf, timeText } from './time.ts'

const moments = fc.oneof(
  fc.integer({ min: -62_198_755_200_000, max: 300_000_000_000_000 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
  // Around the beginning of a day.
  fc
    .tuple(fc.integer({ min: 0, max: 2_932_896 }), fc.integer({ min: -2, max: 2 }))
    .map(([d, by]) => d * 86_400_000 + by),
  fc.constantFrom(0, -1, 951_782_400_000, 253_402_300_799_999, 253_402_300_800_000),
)

test('a time is written as Date writes it, and read back', () => {
  fc.assert(
    fc.property(fc.array(moments, { minLength: 1 }), (all) => {
      for (const at of all) {
        expect(timeText(at)).toBe(new Date(at).toISOString())
        expect(timeOf(timeText(at))).toBe(at)
      }
      for (const at of all) expect(timeOf(new Date(at).toISOString())).toBe(at)
    }),
    { numRuns: 1000 },
  )
})

test('parts of a millisecond are left out', () => {
  expect(timeText(1_763_850_000_123.9)).toBe('2025-11-22T22:20:00.123Z')
})

test('no time is 0', () => {
  expect(timeOf('')).toBe(0)
})

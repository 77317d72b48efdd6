import { expect, test } from 'vitest'
import { momentOf } from './moment.tsx'

const FIRST = '2026-03-01T10:00:00'

test.each([
  ['2026-03-01T10:00:05', '10:00:05'],
  ['2026-03-02T10:00:00', '2026-03-02 10:00:00'],
  ['2025-03-01T10:00:00', '2025-03-01 10:00:00'],
])('what was said at %s after something of the first of march has the time %s', (at, shown) => {
  expect(momentOf(at, FIRST)).toBe(shown)
})

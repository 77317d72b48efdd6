import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test.each([
  ['▸ measure all', 13, '▸ measure all'],
  ['▸ measure all', 12, '▸ measure…'],
  ['▸ find-every-caller', 18, '▸ find-every…'],
  ['▸ find-every-caller', 13, '▸ find-every…'],
  ['▸ find-every-caller', 12, '▸ find…'],
  ['▸ src/auth_hash', 12, '▸ src/auth…'],
  ['▸ src/auth_hash', 6, '▸ src…'],
  ['▸ measurement', 8, '▸'],
  ['▸ measurement', 0, ''],
])('of %s with room for %i letters %s is seen', (text, room, seen) => {
  expect(shortened(text, room)).toBe(seen)
  expect(seen.length).toBeLessThanOrEqual(room)
})

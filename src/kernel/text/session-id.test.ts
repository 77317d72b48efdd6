import { expect, test } from 'vitest'
import { madeAt } from './session-id.ts'

const NOW = Date.parse('2026-11-28T20:00:00.000Z')

test.each([
  ['01a22399-2ea8-7000-8bf2-2f9c4bce9ffd', '2026-11-28T19:19:31.240Z'],
  ['01a22399-2ea8-7000-8bf2-2f9c4bce9ffd.2', '2026-11-28T19:19:31.240Z'],
  // From a machine whose clock goes ahead.
  ['ffffffff-ffff-7000-8bf2-2f9c4bce9ffd', '2026-11-28T20:00:00.000Z'],
  // Ids that somebody chose.
  ['my-own-id', '2026-11-28T20:00:00.000Z'],
  ['build-auth', '2026-11-28T20:00:00.000Z'],
])('what %s says of when it was made', (id, at) => {
  expect(madeAt(id, NOW)).toBe(at)
})

import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.each([
  [0, 'task', '0 tasks'],
  [1, 'message', '1 message'],
  [2000, 'commit', '2,000 commits'],
])('%d of %s is said as "%s"', (n, what, said) => {
  expect(counted(n, what)).toBe(said)
})

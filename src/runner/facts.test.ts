import { expect, test } from 'vitest'
import { hashesOnce } from './facts.ts'
import type { Ground } from './ground.ts'

test('what several steps name is looked at once, and anew the next time', async () => {
  const looked: string[] = []
  const hashes = (patterns: readonly string[]) => {
    looked.push(patterns.join())
    return Promise.resolve({})
  }
  const ground = { deps: { files: { hashes } } } as unknown as Ground
  const together = hashesOnce(ground)
  await Promise.all([together(['a', 'b']), together(['a', 'b']), together(['b'])])
  await hashesOnce(ground)(['b'])
  expect(looked).toEqual(['a,b', 'b', 'b'])
})

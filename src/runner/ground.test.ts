import { expect, test } from 'vitest'
import { begin } from '../../test/domain/begin.ts'
import { stepNamed } from './ground.ts'

test('a step is found by its whole name; one that is like the beginning of a key finds no other', async () => {
  const { session } = await begin()
  const key = 'feedface'.padEnd(64, '0')
  await session.run('step.start', { key, name: 'one', command: 'make one' })
  expect([stepNamed(session, 'one')?.key, stepNamed(session, 'feedface'), stepNamed(session, key)]).toEqual([
    key,
    undefined,
    undefined,
  ])
})

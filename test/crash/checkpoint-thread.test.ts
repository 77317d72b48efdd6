import * as path from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM } from '../cli/binary.ts'
import { scratch } from './rig/plan.ts'

test('the store knows of each checkpoint that a thread writes beside its callers, from its start to its end', async () => {
  // Only what was built has the program of that thread.
  const built = (await import(path.join(path.dirname(PROGRAM), 'index.js'))) as typeof import('../../src/index.ts')
  const settings = { checkpointBytes: 2_000_000, checkpointMs: 0 }
  const workspace = await built.openWorkspace({ dir: scratch('checkpoint-thread'), settings })
  const { checkpoints } = workspace.kernel.log
  const aside = checkpoints?.aside?.bind(checkpoints)
  if (checkpoints === undefined || aside === undefined) throw new Error('the files store has both')
  const made: Promise<unknown>[] = []
  Object.assign(checkpoints, {
    aside: (one: Promise<number>) => {
      made.push(one)
      return aside(one)
    },
  })
  const session = await workspace.createSession({ name: 'test' })
  for (let i = 0; i < 3; i++) await session.run('state.set', { path: `$.data.k${i}`, value: 'x'.repeat(1_000_000) })
  expect(made).toHaveLength(1)
  expect(await made[0]).toBeGreaterThan(1_000_000)
  await session.close()
  await workspace.close()
})

import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { DEFAULTS, type Kernel } from '../kernel.ts'
import { nearLimits } from './limits.ts'

test('a limit is near from 80 % on, and each is told by its name', () => {
  const settings = { ...DEFAULTS, maxStateBytes: 1000, maxCommits: 100, maxBlobBytes: 10 }
  expect(nearLimits(settings, { state: 799, commits: 79, blob: 7 })).toEqual([])
  expect(nearLimits(settings, { state: 800, commits: 80, blob: 8 }).map(({ limit }) => limit)).toEqual([
    'state size',
    'commits',
    'blob size',
  ])
})

test('N5 whoever writes to a session that comes near a limit is warned once', async () => {
  const warnings: string[] = []
  const settings = { checkpointBytes: 1, checkpointMs: 1, maxCommits: 10 }
  const kernel: Kernel = { ...memoryKernel(settings), warn: (message) => warnings.push(message) }
  const { id } = await makeWorkspace(kernel).createSession({ name: 'grows' })
  const grow = async () => {
    const session = await makeWorkspace(kernel).session(id)
    for (let i = 0; i < 6; i++) await session.run('state.set', { path: '$.data.n', value: i })
    await session.close()
  }
  await grow()
  expect(warnings).toEqual([])
  await grow()
  expect(warnings.splice(0)).toEqual([expect.stringMatching(/comes near a limit: commits \d+ of 10; steadfold gc/)])
  await grow()
  expect(warnings).toEqual([expect.stringMatching(/is over a limit: commits \d+ of 10; steadfold gc/)])
})

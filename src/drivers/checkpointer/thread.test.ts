import { expect, test } from 'vitest'
import { DEFAULTS } from '../../kernel/kernel.ts'
import { checkpointOnThread } from './thread.ts'

test('a thread that cannot be started costs a warning, not the process', async () => {
  const warnings: string[] = []
  const noProgram = new URL('http://localhost/worker.js')
  const assignment = { root: '/nowhere', session: 's', settings: DEFAULTS }
  expect(await checkpointOnThread(noProgram, assignment, (message) => warnings.push(message))).toBe(0)
  expect(warnings).toEqual([expect.stringContaining('no checkpoint')])
})

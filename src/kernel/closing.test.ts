import { expect, test } from 'vitest'
import { overriding } from '../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../compose.ts'
import type { Workspace } from './workspace.ts'

/** A workspace that is closed as soon as somebody reads a log in it. */
async function closedWhileRead() {
  const kernel = memoryKernel({ checkpoints: false })
  await makeWorkspace(kernel).createSession({ name: 'test' })
  let closing: Promise<void> | undefined
  const log = overriding(kernel.log, {
    peek: async (session, after) => {
      await (closing ??= workspace.close())
      return kernel.log.peek(session, after)
    },
    // It would forget all that it holds.
    close: () => Promise.resolve(),
  })
  const workspace: Workspace = makeWorkspace({ ...kernel, log })
  return workspace
}

test('a session that was on its way when its workspace closed is not handed out open', async () => {
  const workspace = await closedWhileRead()
  await expect(workspace.session('test')).rejects.toMatchObject({ code: 'CLOSED' })
})

test('nor is one that was being begun', async () => {
  const workspace = await closedWhileRead()
  await expect(workspace.createSession({ name: 'other' })).rejects.toMatchObject({ code: 'CLOSED' })
})

import { expect, test } from 'vitest'
import { overriding } from '../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../compose.ts'
import { EngineError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import { openSession, type Choice } from './open.ts'

test('no session is made where one cannot be read: its work may be in that one, and would be paid again', async () => {
  const kernel = memoryKernel()
  const made = makeWorkspace(kernel)
  const shut = await made.createSession({ name: 'shut' })
  const peek: Log['peek'] = (id, after) => {
    if (id === shut.id) throw new EngineError('READ_ONLY', 'cannot read it', { hint: 'check the owner' })
    return kernel.log.peek(id, after)
  }
  const workspace = makeWorkspace({ ...kernel, log: overriding(kernel.log, { peek }) })
  const create: Choice['create'] = (where) => where.createSession({ name: 'made' })
  const choice: Choice = { fits: () => true, create, ends: () => false }
  await expect(openSession(workspace, undefined, choice)).rejects.toMatchObject({
    code: 'READ_ONLY',
    message: `session ${shut.id} may be the one to run in: cannot read it`,
    hint: 'check the owner, or name the session to run in: --session NAME',
  })
  const open = await made.createSession({ name: 'open' })
  expect((await openSession(workspace, undefined, choice)).session.id).toBe(open.id)
})

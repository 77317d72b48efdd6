/* Which session a call means that names none. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { EngineError } from '../../src/kernel/error.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { Desk } from '../../src/surfaces/http/desk.ts'
import { chosenSession } from '../../src/surfaces/mcp/choose.ts'
import type { McpParts } from '../../src/surfaces/mcp/parts.ts'
import { overriding } from '../conformance/kit.ts'

test('one that cannot be read may be the one that is meant, until it can be', async () => {
  const kernel = memoryKernel()
  const workspace = makeWorkspace(kernel)
  const [one, two] = [await workspace.createSession({ name: 'one' }), await workspace.createSession({ name: 'two' })]
  let isShut = true
  const peek: Log['peek'] = (id, after) => {
    if (isShut && id === two.id) throw new EngineError('READ_ONLY', 'cannot read it')
    return kernel.log.peek(id, after)
  }
  const warned: string[] = []
  const partly = makeWorkspace({ ...kernel, log: overriding(kernel.log, { peek }) })
  const sessions = new Desk(partly, (said) => void warned.push(said))
  await sessions.open()
  // Only these are asked here.
  const parts = { sessions } as Pick<McpParts, 'sessions'> as McpParts
  for (let times = 0; times < 2; times++)
    await expect(chosenSession(parts, undefined)).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      message: `which session? 1 going on, 1 cannot be read: ${two.id}`,
      hint: 'pass session: "one"; steadfold doctor says why one cannot be read',
      details: { candidates: [{ id: one.id }], unread: [two.id] },
    })
  expect(warned).toEqual([`session ${two.id} is left out: cannot read it`])
  expect(await chosenSession(parts, 'one')).toBe('one')
  isShut = false
  await two.run('session.end', {})
  expect(await chosenSession(parts, undefined)).toBe(one.id)
  await sessions.close()
  await workspace.close()
})

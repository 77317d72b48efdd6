/* Which session a call means that names none. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { inbox } from '../../src/domain/observability/inbox.ts'
import { glanceAt } from '../../src/glance.ts'
import { EngineError } from '../../src/kernel/error.ts'
import type { Attic, Log } from '../../src/kernel/ports.ts'
import { Desk } from '../../src/surfaces/http/desk.ts'
import { chosenSession } from '../../src/surfaces/mcp/choose.ts'
import type { McpParts } from '../../src/surfaces/mcp/parts.ts'
import { inboxOf } from '../../src/surfaces/mcp/views.ts'
import { overriding } from '../conformance/kit.ts'

/** Only these are asked here. */
const onlyOf = (sessions: Desk) =>
  ({ sessions, glance: glanceAt, inbox }) as Pick<McpParts, 'sessions' | 'glance' | 'inbox'> as McpParts

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
  const parts = onlyOf(sessions)
  for (let times = 0; times < 2; times++)
    await expect(chosenSession(parts, undefined)).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      message: `which session? 1 going on, 1 cannot be read: ${two.id}`,
      hint: 'pass session: "one"; steadfold doctor says why one cannot be read',
      details: { candidates: [{ id: one.id }], unread: [two.id] },
    })
  expect(await inboxOf(parts)).toMatchObject({
    needs_you: [{ kind: 'DAMAGED', session: two.id, why: 'cannot read it', age_ms: expect.any(Number) as unknown }],
    idle: [{ name: 'one' }],
  })
  expect(warned).toEqual([`session ${two.id} is left out: cannot read it`])
  expect(await chosenSession(parts, 'one')).toBe('one')
  isShut = false
  await two.run('session.end', {})
  expect(await chosenSession(parts, undefined)).toBe(one.id)
  expect(await inboxOf(parts)).toMatchObject({ needs_you: [], idle: [{ name: 'one' }] })
  await sessions.close()
  await workspace.close()
})

test('an agent that is in no session is in the inbox', async () => {
  const kernel = memoryKernel()
  const stray = { agent: 'claude', run: 'a-1', told: 1, since: new Date().toISOString(), over: false }
  const attic = async () => ({ strays: async () => [stray], remains: async function* () {} }) as unknown as Attic
  const workspace = makeWorkspace({ ...kernel, log: overriding(kernel.log, { attic }) })
  await workspace.createSession({ name: 'one' })
  const sessions = new Desk(workspace, () => undefined)
  await sessions.open()
  expect(await inboxOf(onlyOf(sessions))).toMatchObject({ needs_you: [{ kind: 'ASK', what: 'claude a-1' }] })
  await sessions.close()
  await workspace.close()
})

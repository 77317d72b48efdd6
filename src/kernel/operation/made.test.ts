/* What is made of the state before it is asked for, while another process writes at every turn. */
import { expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import { Session } from '../session.ts'

/** Whenever the writer takes its turn, another has written before it looks at the log. */
async function beside() {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost() }
  const other = await makeWorkspace(kernel).createSession({ name: 'test' })
  let n = 0
  const turns: number[] = []
  const log = overriding(kernel.log, {
    turn: async (session, losses) => {
      turns.push(losses)
      await other.run('state.set', { path: '$.data.n', value: n++ })
      return kernel.log.turn(session, losses)
    },
  })
  return { session: await new Session({ ...kernel, log }, other.id).open(), other, turns }
}

test.each([
  ['supervise.report', { worker: 'a', text: '# A\n\nIt works.\n' }],
  ['supervise.fail', { worker: 'a', reason: 'timeout', text: '# A\n\nNothing.\n' }],
  ['session.configure', { consent_mode: 'informed', gated: ['lock.break'] }],
  ['session.mark', { name: 'here' }],
  ['chat.post', { conversation: 'login', text: 'which hash?' }],
  ['chat.ingest', { events: [] }],
])('whatever is written meanwhile, %s is not turned away, and is made once', async (name, input) => {
  const { session, turns } = await beside()
  await session.run('supervise.start', { kind: 'research', workers: [{ id: 'a' }] })
  await session.run('chat.open', { title: 'Log in', id: 'login' })
  turns.length = 0
  expect(await session.run(name, input)).toMatchObject({ kind: 'accepted' })
  expect(turns).toEqual([0])
})

test('L6 what holds only as long as nobody else writes asks the others to let it pass, and is made while they do', async () => {
  const { session, other, turns } = await beside()
  const { seq } = session
  await other.run('state.set', { path: '$.data.plan', value: 'wrong' })
  expect(await session.run('session.restore', { to: String(seq) })).toMatchObject({ kind: 'accepted' })
  expect(session.get('$.data.plan')).toBeUndefined()
  expect(Math.max(...turns)).toBeGreaterThanOrEqual(10)
})

test('a point that is so many commits back is that of when it was asked for, and is folded once', async () => {
  const { session, other, turns } = await beside()
  await other.run('state.set', { path: '$.data.plan', value: 'right' })
  await other.run('state.set', { path: '$.data.plan', value: 'wrong' })
  const to = other.seq - 1
  expect(await session.run('session.restore', { to: '@-1' })).toMatchObject({ events: [{ data: { to } }] })
  expect([session.get('$.data'), turns.length]).toEqual([{ plan: 'right' }, 4])
})

test('who has said at which sequence number is told that somebody was quicker', async () => {
  const { session, turns } = await beside()
  const stale = await session.run('session.mark', { name: 'here' }, { ifSeq: session.seq })
  expect(stale).toMatchObject({ kind: 'refused', code: 'CONFLICT' })
  expect(turns).toEqual([0])
})

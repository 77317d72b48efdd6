import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { WorkerRecord } from './events.ts'

const worker = (session: Session, id: string) =>
  session.get(`$.supervision.supervisors.research.workers['${id}']`) as WorkerRecord

async function shared() {
  const { session, host } = await begin()
  await session.run('agent.register', { agent: 'dev', type: 'coder', ttl_ms: 60_000 })
  await session.run('supervise.start', { kind: 'research', workers: ['a', 'b', 'c'].map((id) => ({ id })) })
  const start = async (id: string, actor: string) => {
    const answer = await session.run('supervise.begin', { worker: id }, { actor })
    return answer.kind === 'accepted' ? answer.seq : 0
  }
  const token = await start('a', 'agent:dev')
  await start('b', 'human:ana')
  await start('c', 'agent:stranger')
  return { session, host, start, token }
}

test('S8 what a lost agent began waits for another, and what it brings too late is refused', async () => {
  const { session, host, start, token } = await shared()
  expect(worker(session, 'a')).toMatchObject({ status: 'running', by: 'agent:dev' })
  host.advance(600_000)
  expect(await session.run('session.recover', {})).toMatchObject({
    events: expect.arrayContaining([
      expect.objectContaining({ type: 'agent.removed' }),
      {
        type: 'supervision.worker-returned',
        data: { supervisor: 'research', worker: 'a', token, reason: 'agent dev: gone' },
      },
    ]) as unknown,
  })
  expect(worker(session, 'a')).toMatchObject({ status: 'pending', reason: 'agent dev: gone', token: null })
  const late = { worker: 'a', text: '# Late', token }
  expect(await session.run('supervise.report', late, { actor: 'agent:dev' })).toMatchObject({
    code: 'LEASE_LOST',
    message: `attempt ${token} of worker "a" is over; it was given back: agent dev: gone`,
  })
  const again = await start('a', 'agent:ops')
  expect(worker(session, 'a')).toMatchObject({ status: 'running', by: 'agent:ops', reason: null, attempts: 2 })
  const done = await session.run('supervise.report', { ...late, token: again })
  expect([done.kind, worker(session, 'a').status]).toEqual(['accepted', 'completed'])
})

test('S8 what people began stays, and those whom nobody knows', async () => {
  const { session, host } = await shared()
  host.advance(600_000)
  await session.run('session.tidy', {})
  expect(['a', 'b', 'c'].map((id) => worker(session, id).status)).toEqual(['pending', 'running', 'running'])
})

test('S8 who came back keeps what it began since', async () => {
  const { session, host, start } = await shared()
  host.advance(600_000)
  await session.run('session.recover', {})
  await session.run('agent.register', { agent: 'dev', type: 'coder', ttl_ms: 60_000 })
  await start('a', 'agent:dev')
  await session.run('session.tidy', {})
  expect(worker(session, 'a')).toMatchObject({ status: 'running', by: 'agent:dev' })
})

import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import { glance } from './inbox.ts'

const needs = (session: Session) => {
  const { id, seq, updatedAt: updated_at, stored: state } = session
  return glance({ id, seq, updated_at, state, damaged: false, lost: undefined }, Date.parse(updated_at) + 5000).needs
}

async function missed(): Promise<Session> {
  const { session, host } = await begin()
  await session.run('supervise.start', { kind: 'research', workers: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })
  await session.run('supervise.report', { worker: 'a' })
  await session.run('supervise.fail', { worker: 'b', reason: 'timeout' })
  expect(needs(session)).toEqual([])
  host.advance(1000)
  await session.run('supervise.fail', { worker: 'c', reason: 'quota' })
  return session
}

test('I2 a supervisor whose share was missed needs a decision, with the reasons', async () => {
  const session = await missed()
  expect(needs(session)).toMatchObject([
    {
      kind: 'FAILED',
      what: 'supervisor research',
      why: '1 of 3 workers succeeded; b: timeout, c: quota',
      age_ms: 5000,
      next: 'steadfold supervise retry --supervisor research --session test',
    },
  ])
})

test('I2 a retry answers it, and who then stops has given it up', async () => {
  const session = await missed()
  await session.run('supervise.retry')
  expect(needs(session)).toEqual([])
  await session.run('supervise.stop')
  expect(session.get('$.supervision.supervisors.research.status')).toBe('failed')
  expect(needs(session)).toEqual([])
})

test('I2 one whose share was met needs nobody', async () => {
  const { session } = await begin()
  await session.run('supervise.start', { kind: 'research', workers: [{ id: 'a' }, { id: 'b' }] })
  await session.run('supervise.report', { worker: 'a' })
  await session.run('supervise.fail', { worker: 'b', reason: 'x' })
  expect(needs(session)).toEqual([])
})

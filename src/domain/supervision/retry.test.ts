import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import { recordOf, supervisionOf } from './supervision.ts'

test('S2 files that another supervisor took meanwhile are not claimed again by a retry', async () => {
  const { session } = await begin()
  const kind = 'implementation'
  await session.run('supervise.start', { kind, id: 'one', workers: [{ id: 'a', files: ['src'] }, { id: 'c' }] })
  await session.run('supervise.fail', { worker: 'a', reason: 'timeout' })
  await session.run('supervise.start', { kind, id: 'two', workers: [{ id: 'b', files: ['src/b.ts'] }] })
  const retry = () => session.run('supervise.retry', { supervisor: 'one', workers: ['a'] })
  expect(await retry()).toMatchObject({ code: 'FILES_CLAIMED', hint: 'try "a" again when "two:b" is over' })
  await session.run('supervise.report', { supervisor: 'two', worker: 'b' })
  expect(await retry()).toMatchObject({ kind: 'accepted' })
})

test('S2 nor are files of a later stage that has begun', async () => {
  const { session } = await begin()
  const workers = [
    { id: 'a', stage: 'generation', files: ['test'] },
    { id: 'b', stage: 'generation' },
    { id: 'c', stage: 'execution', files: ['test'] },
  ]
  await session.run('supervise.start', { kind: 'testing', workers })
  await session.run('supervise.report', { worker: 'b' })
  await session.run('supervise.fail', { worker: 'a', reason: 'timeout' })
  await session.run('supervise.begin', { worker: 'c' })
  expect(await session.run('supervise.retry')).toMatchObject({ code: 'FILES_CLAIMED' })
  await session.run('supervise.report', { worker: 'c' })
  expect(await session.run('supervise.retry')).toMatchObject({ kind: 'accepted' })
})

const started = async (kind: string, workers: readonly object[]) => {
  const { session } = await begin()
  await session.run('supervise.start', { kind, workers, id: 'one' })
  const statuses = () =>
    Object.values(recordOf(supervisionOf(session.stored), 'one')?.workers ?? {}).map(({ status }) => status)
  return { session, statuses }
}

test('S3 a retry of one leaves alone what was given up: it did not wait for that one', async () => {
  const workers = [{ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['b'] }, { id: 'd', needs: ['a'] }]
  const { session, statuses } = await started('implementation', workers)
  await session.run('supervise.fail', { worker: 'a', reason: 'timeout' })
  await session.run('supervise.stop', { reason: 'enough is known' })
  await session.run('supervise.retry', { workers: ['a'] })
  expect(statuses()).toEqual(['pending', 'skipped', 'skipped', 'pending'])
  await session.run('supervise.report', { worker: 'a' })
  const last = await session.run('supervise.report', { worker: 'd' })
  expect(last).toMatchObject({ value: { status: 'partial_success' } })
  await session.run('supervise.retry')
  expect(statuses()).toEqual(['completed', 'pending', 'pending', 'completed'])
})

test('S3 a retry of one opens the later stages, which were lost with it', async () => {
  const stages = ['generation', 'execution', 'validation']
  const { session, statuses } = await started(
    'testing',
    stages.map((stage) => ({ id: stage, stage })),
  )
  await session.run('supervise.fail', { worker: 'generation', reason: 'timeout' })
  expect(statuses()).toEqual(['failed', 'skipped', 'skipped'])
  await session.run('supervise.retry', { workers: ['generation'] })
  expect(statuses()).toEqual(['pending', 'pending', 'pending'])
})

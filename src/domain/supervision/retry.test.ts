import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

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

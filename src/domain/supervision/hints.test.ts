/* What is said next is taken when it is typed, also where several supervisors are at work. */
import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

async function two() {
  const { session } = await begin()
  const workers = [{ id: 'a' }, { id: 'b', needs: ['a'] }]
  await session.run('supervise.start', { kind: 'implementation', id: 'one', workers })
  await session.run('supervise.start', { kind: 'implementation', id: 'two', workers })
  return async (verb: string, input: object) => {
    const answer = await session.run(`supervise.${verb}`, { supervisor: 'one', ...input })
    return answer.kind === 'refused' ? answer.hint : answer.kind
  }
}

test('a worker that has begun is reported to its own supervisor', async () => {
  const run = await two()
  await run('begin', { worker: 'a' })
  expect(await run('begin', { worker: 'a' })).toBe('steadfold supervise report a --supervisor one')
})

test('one that was skipped is tried again with what it needs', async () => {
  const run = await two()
  await run('fail', { worker: 'a', reason: 'timeout' })
  expect(await run('report', { worker: 'b' })).toBe('steadfold supervise retry --supervisor one')
  expect(await run('report', { worker: 'a' })).toBe('steadfold supervise retry a --supervisor one')
})

test('which of them is to be stopped is said by a word', async () => {
  const run = await two()
  expect(await run('stop', { supervisor: undefined, reason: 'enough' })).toBe('steadfold supervise stop one')
  expect(await run('begin', { supervisor: undefined, worker: 'a' })).toBe('name one with --supervisor')
})

import { expect, test } from 'vitest'
import { overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import type { Position } from '../ports.ts'
import { START } from './chain.ts'
import { follow } from './follow.ts'

/** A session of three commits, and a kernel whose reads fail as often as `failures` says; `slept` has what was waited. */
async function begun(failures: { left: number }) {
  const kernel = memoryKernel({ checkpoints: false })
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  for (const value of [1, 2]) await session.run('state.set', { path: 'data.x', value })
  const slept: number[] = []
  const failing: Kernel = {
    ...kernel,
    host: { ...kernel.host, sleep: async (ms) => void slept.push(ms) },
    log: overriding(kernel.log, {
      read: (id, after) => {
        if (failures.left-- > 0) throw new Error('not now')
        return kernel.log.read(id, after)
      },
    }),
  }
  return { session, kernel: failing, slept }
}

async function take(commits: AsyncIterable<{ readonly seq: number }>, n: number): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const { seq } of commits) if (seqs.push(seq) === n) break
  return seqs
}

test('F2. what cannot be read is tried again from the same place, each time twice as late up to a minute', async () => {
  const { session, kernel, slept } = await begun({ left: 9 })
  const { signal } = new AbortController()
  const replaced = async () => undefined
  const following = { id: session.id, after: 1, place: async () => START, replaced, signal }
  expect(await take(follow(kernel, following), 2)).toEqual([2, 3])
  expect(slept).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000))
})

test('F1. another log is followed from where it is said to stand, at once', async () => {
  const { session, kernel, slept } = await begun({ left: 1 })
  const { signal } = new AbortController()
  const before: Position = { seq: 40, hash: 'gone', segment: 1, offset: 4000 }
  const replaced = async () => START
  const following = { id: session.id, after: 40, place: async () => before, replaced, signal }
  expect(await take(follow(kernel, following), 3)).toEqual([1, 2, 3])
  expect(slept).toEqual([])
})

test('F1. so is one that took its place while it was waited until it can be read', async () => {
  const { session, kernel, slept } = await begun({ left: 1 })
  const { signal } = new AbortController()
  const answers = [undefined, START]
  const replaced = async () => answers.shift()
  const following = { id: session.id, after: 3, place: async () => START, replaced, signal }
  await session.run('state.set', { path: 'data.x', value: 3 })
  expect(await take(follow(kernel, following), 1)).toEqual([1])
  expect(slept).toEqual([1000])
})

test('it ends where there is no such session any more, and when it is told to', async () => {
  const { session, kernel } = await begun({ left: 1 })
  const stop = new AbortController()
  const gone = async () => {
    throw new Error('no such session')
  }
  const following = { id: session.id, after: 0, place: async () => START, replaced: gone, signal: stop.signal }
  await expect(take(follow(kernel, following), 1)).rejects.toThrow('no such session')
  stop.abort()
  expect(await take(follow(kernel, following), 1)).toEqual([])
})

import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../compose.ts'

/** A session whose log tells who watches it. */
async function begin() {
  const kernel = memoryKernel({ checkpoints: false })
  const watching = new Set<() => void>()
  const watch = kernel.log.watch.bind(kernel.log)
  kernel.log.watch = (id, changed) => {
    const unwatch = watch(id, changed)
    watching.add(changed)
    return () => {
      watching.delete(changed)
      unwatch()
    }
  }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  return { session, watching }
}

test('a live reader that is in the middle of a commit watches no longer once the session is closed', async () => {
  const { session, watching } = await begin()
  const commits = session.commits({ live: true })
  await commits.next()
  expect(watching.size).toBe(1)
  await session.close()
  expect(watching.size).toBe(0)
  expect(await commits.next()).toMatchObject({ done: true })
})

test('a live reader that is in the middle of a commit watches no longer once its signal aborts', async () => {
  const { session, watching } = await begin()
  const stop = new AbortController()
  const commits = session.commits({ live: true, signal: stop.signal })
  await commits.next()
  stop.abort()
  expect(watching.size).toBe(0)
  expect(await commits.next()).toMatchObject({ done: true })
})

test('commits are read up to one of them, or as far as there are any', async () => {
  const { session } = await begin()
  await session.run('state.set', { path: '$.data.a', value: 1 })
  const read = async (until: number) => {
    const seen: number[] = []
    for await (const { seq } of session.commits({ until })) seen.push(seq)
    return seen
  }
  expect([await read(0), await read(1), await read(Infinity)]).toEqual([[], [1], [1, 2]])
})

test('a live reader that begins when the session is closed ends with what is there', async () => {
  const { session, watching } = await begin()
  const commits = session.commits({ live: true })
  await session.close()
  expect(await commits.next()).toMatchObject({ value: { seq: 1 } })
  expect(await commits.next()).toMatchObject({ done: true })
  expect(watching.size).toBe(0)
})

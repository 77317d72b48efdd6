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

test('a live reader that begins when the session is closed ends with what is there', async () => {
  const { session, watching } = await begin()
  const commits = session.commits({ live: true })
  await session.close()
  expect(await commits.next()).toMatchObject({ value: { seq: 1 } })
  expect(await commits.next()).toMatchObject({ done: true })
  expect(watching.size).toBe(0)
})

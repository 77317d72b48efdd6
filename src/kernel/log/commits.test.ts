import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace, memoryKernel } from '../../compose.ts'

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

test.each(['return', 'throw'] as const)('a live reader that waits is left at once by %s', async (way) => {
  const { session, watching } = await begin()
  const commits = session.commits({ live: true, after: 1 })
  const next = commits.next()
  await new Promise(setImmediate)
  expect(watching.size).toBe(1)
  const left = way === 'return' ? commits.return() : commits.throw(new Error('away')).catch(() => 'thrown')
  expect(await next).toMatchObject({ done: true })
  await left
  expect(watching.size).toBe(0)
  const early = session.commits({ live: true, after: 1 })
  expect(await Promise.all([early.next(), early.return()])).toMatchObject([{ done: true }, { done: true }])
})

test('many live readers under one signal of the caller make no warning', async () => {
  const { session, watching } = await begin()
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const stop = new AbortController()
  const all = Array.from({ length: 20 }, async () => {
    for await (const _ of session.commits({ live: true, signal: stop.signal }));
  })
  await vi.waitFor(() => expect(watching.size).toBe(20))
  stop.abort()
  await Promise.all(all)
  expect(warned).not.toHaveBeenCalled()
  warned.mockRestore()
})

test('a stream of live commits closes when it is destroyed', async () => {
  const { session } = await begin()
  const stream = Readable.from(session.commits({ live: true, after: 1 })).resume()
  await new Promise(setImmediate)
  await once(stream.destroy(), 'close')
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

test('of a long log what lies before the cursor is not read', async () => {
  const root = path.join(temporaryFolder(), '.steadfold')
  fs.mkdirSync(root)
  // Whoever makes a checkpoint reads, too.
  const kernel = filesKernel(root, { checkpoints: false })
  const read = kernel.log.read.bind(kernel.log)
  let bytes = 0
  kernel.log.read = async function* (id, after) {
    for await (const chunk of read(id, after)) {
      bytes += chunk.bytes.length
      yield chunk
    }
  }
  const session = await makeWorkspace(kernel).createSession({ name: 'long' })
  const written = Array.from({ length: 500 }, (_, i) =>
    session.run('state.set', { path: `$.data.k${i % 7}`, value: `${i}`.padEnd(30_000, '.') }),
  )
  await Promise.all(written)
  const { seq } = session
  for await (const _ of session.commits());
  const whole = bytes
  for (const after of [seq - 3, 3, seq - 40]) {
    bytes = 0
    const seen: number[] = []
    for await (const commit of session.commits({ after, until: after + 2 })) seen.push(commit.seq)
    expect(seen).toEqual([after + 1, after + 2])
    expect(bytes, `behind ${after}`).toBeLessThan(whole / 2)
  }
  const last = session.updatedAt
  for (const look of [
    () => session.resolve(last),
    () => session.get(),
    () => session.query('$.observability.events'),
  ]) {
    bytes = 0
    expect(await look()).toBeTruthy()
    expect(bytes, String(look)).toBeLessThan(whole / 2)
  }
})

test.each([false, true])(
  'a cursor beyond the log is told of, one that only others have got to is not; live: %s',
  async (live) => {
    const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
    const session = await workspace.createSession({ name: 'cut' })
    const other = await workspace.session('cut')
    await other.state.set({ path: '$.data.a', value: 1 })
    await other.state.set({ path: '$.data.a', value: 2 })
    expect(await session.commits({ after: 2, live }).next()).toMatchObject({ value: { seq: 3 } })
    await expect(session.commits({ after: 9, live }).next()).rejects.toMatchObject({ code: 'POINT_NOT_FOUND' })
    const latest = session.commits({ after: 3, live, signal: AbortSignal.abort() })
    expect(await latest.next()).toMatchObject({ done: true })
  },
)

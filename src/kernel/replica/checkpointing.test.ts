import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { fixedHost, temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import { makeCheckpoint } from './make-checkpoint.ts'

async function begin(checkpointBytes: number, weight: number, took = 0, checkpointMs = 0) {
  const host = fixedHost()
  const made: number[] = []
  const kernel: Kernel = {
    ...memoryKernel({ checkpointBytes, checkpointMs }),
    host,
    checkpoint: async () => {
      made.push(session.seq)
      host.advance(took)
      return weight
    },
  }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const put = () => session.run('state.set', { path: '$.data.a', value: 'x'.repeat(300) })
  return { host, made, session, put, kernel }
}

test('N1 a checkpoint is due when the log has grown by checkpointBytes', async () => {
  const { made, put } = await begin(2000, 10)
  for (let i = 0; i < 9; i++) await put()
  expect(made.length).toBeGreaterThan(1)
  expect(made.length).toBeLessThan(5)
})

test('N1 a heavy checkpoint waits for half of its weight in new log', async () => {
  const { made, put } = await begin(2000, 1_000_000)
  for (let i = 0; i < 30; i++) await put()
  expect(made).toHaveLength(1)
})

test('N2 behind a slow checkpoint comes as long a rest as it took', async () => {
  const { host, made, put, session } = await begin(1000, 10, 500)
  for (let i = 0; i < 20; i++) await put()
  expect(made).toHaveLength(1)
  host.advance(499)
  await put()
  expect(made).toHaveLength(1)
  host.advance(1)
  await put()
  await session.refresh()
  expect(made).toHaveLength(2)
})

test('N3 closing leaves a checkpoint when one is due, and none when not', async () => {
  const busy = await begin(1000, 10, 500)
  for (let i = 0; i < 20; i++) await busy.put()
  await busy.session.close()
  expect(busy.made).toHaveLength(2)
  const idle = await begin(1_000_000, 10)
  for (let i = 0; i < 10; i++) await idle.put()
  await idle.session.close()
  expect(idle.made).toHaveLength(0)
})

test('N2 a clock that jumps, either way and also while one is made, puts checkpoints off for minutes at most', async () => {
  const year = 31_536_000_000
  const { host, made, put } = await begin(1000, 10, year)
  for (let i = 0; i < 10; i++) await put()
  expect(made).toHaveLength(1)
  host.advance(600_000)
  for (let i = 0; i < 10; i++) await put()
  expect(made).toHaveLength(2)
  host.advance(-5 * year)
  for (let i = 0; i < 10; i++) await put()
  expect(made.length).toBeGreaterThan(2)
})

test('N2 a checkpoint that another process has made serves all', async () => {
  const { made, put, kernel, host } = await begin(1000, 10, 0, 1000)
  const { checkpoints } = kernel.log
  if (checkpoints === undefined) throw new Error('no checkpoints')
  let latest = { seq: 1000, age: 0 }
  checkpoints.latest = () => latest
  for (let i = 0; i < 20; i++) await put()
  expect(made).toHaveLength(0)
  latest = { seq: 1000, age: 10_000 }
  host.advance(10_000)
  for (let i = 0; i < 5; i++) await put()
  expect(made).toHaveLength(1)
})

test('N2 a checkpoint that cannot be used serves nobody', async () => {
  const root = path.join(temporaryFolder(), '.steadfold')
  fs.mkdirSync(root)
  const settings = { checkpointBytes: 1000, checkpointMs: 0 }
  const built = (shape: string) => ({ ...filesKernel(root, settings), shape })
  const [old, young] = [built('old'), built('young')]
  const writeOne = async (kernel: Kernel) => {
    const made: string[] = []
    const spied = { ...kernel, checkpoint: (id: string) => (made.push(id), makeCheckpoint(kernel, id)) }
    const session = await makeWorkspace(spied).session('test')
    const { opened } = session
    await session.run('state.set', { path: '$.data.a', value: session.seq })
    await session.close()
    return { made: made.length, from: opened.checkpoint }
  }
  const session = await makeWorkspace(old).createSession({ name: 'test' })
  for (let i = 0; i < 10; i++) await session.run('state.set', { path: '$.data.b', value: `${i}`.padEnd(300) })
  await session.close()
  await makeCheckpoint(old, session.id)
  // Neither of the two is used, both are replaced.
  const file = path.join(root, 'sessions', session.id, 'checkpoint.json')
  const alter = [() => undefined, () => fs.writeFileSync(file, `{"v":1,"seq":${session.seq + 1},"damaged"`)]
  for (const [index, change] of alter.entries()) {
    change()
    expect(await writeOne(young)).toEqual({ made: 1, from: null })
    expect(young.log.checkpoints?.latest?.(session.id)?.seq).toBe(session.seq + 1 + index)
  }
})

test('N2 a checkpoint that another process has begun serves all', async () => {
  const age = { since: 0 }
  const [one, other] = [await begin(1000, 10, 0, 1000), await begin(1000, 10, 0, 1000)]
  for (const { kernel, host } of [one, other])
    Object.assign(kernel.log.checkpoints ?? {}, {
      latest: () => ({ seq: 0, age: host.now() - age.since }),
      begin: () => (age.since = host.now()),
    })
  for (let i = 0; i < 40; i++) {
    await one.put()
    await other.put()
  }
  expect([...one.made, ...other.made]).toHaveLength(1)
})

test('N2 a checkpoint whose time is ahead of the clock holds no other back', async () => {
  const { made, put, kernel } = await begin(1000, 10, 0, 1000)
  const { checkpoints } = kernel.log
  if (checkpoints === undefined) throw new Error('no checkpoints')
  checkpoints.latest = () => ({ seq: 0, age: -3_600_000 })
  for (let i = 0; i < 20; i++) await put()
  expect(made).toHaveLength(1)
})

test('N2 checkpoints of a session in use are checkpointMs apart', async () => {
  const { made, put, host } = await begin(1000, 10, 0, 1000)
  for (let i = 0; i < 20; i++) await put()
  expect(made).toHaveLength(1)
  host.advance(1000)
  for (let i = 0; i < 20; i++) await put()
  expect(made).toHaveLength(2)
})

test('N4 a session whose time is over leaves one with the commit that tells it, and no more while it ends', async () => {
  const { host, made, session, put } = await begin(1_000_000, 10)
  await session.run('session.extend', { hours: 1 })
  await session.run('task.add', { title: 'x' })
  await session.run('task.claim', { any: true, ttl_ms: 86_400_000 }, { actor: 'agent:a' })
  host.advance(3_600_001)
  expect(made).toEqual([])
  await session.run('session.tick')
  await session.run('task.done', { task: 'task-1' }, { actor: 'agent:a' })
  expect(await put()).toMatchObject({ code: 'SESSION_NOT_WRITABLE' })
  await session.close()
  expect(made).toEqual([5])
})

test('N4 a session that is told to end leaves one before the answer, and only one', async () => {
  const { made, session } = await begin(1_000_000, 10)
  await session.run('session.terminate')
  expect(made).toEqual([2])
  await session.close()
  expect(made).toEqual([2])
})

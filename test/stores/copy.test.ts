/* One script of work on every driver, and every copy from one to another. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifySession } from '../../src/kernel/care/verify.ts'
import { copyWorkspace } from '../../src/kernel/exchange/copy-workspace.ts'
import { START } from '../../src/kernel/log/chain.ts'
import type { Log } from '../../src/kernel/ports.ts'
import type { Workspace } from '../../src/kernel/workspace.ts'
import { drivers, startServers } from '../conformance/drivers.ts'
import { chainOf, lineOf, together } from '../conformance/kit.ts'
import { workspaceOn } from './writers.ts'

let stopServers: () => Promise<void>
beforeAll(async () => {
  stopServers = await startServers()
})
afterAll(() => stopServers())

const pairs = drivers.flatMap((from) => drivers.map((to) => [from.name, to.name, from, to] as const))

/** What a team does: state, tasks, a lock, messages, a restore, a fork, an end. */
async function work(workspace: Workspace): Promise<void> {
  const session = await workspace.createSession({ name: 'build', goal: 'try it' })
  const run = async (name: string, input: object) => {
    const answer = await session.run(name, input, { actor: 'agent:a', key: `${name}-${JSON.stringify(input)}` })
    expect(answer, name).toMatchObject({ kind: 'accepted' })
  }
  await run('state.set', { path: '$.data.topic', value: 'auth' })
  await run('task.add', { title: 'one' })
  await run('lock.acquire', { resource: 'file' })
  await run('state.set', { path: '$.data.topic', value: 'x'.repeat(50_000) })
  await run('session.mark', { name: 'done' })
  await workspace.kernel.log.blobs?.put(session.id, Buffer.from('large'))
  const fork = await workspace.fork(session, 'apart', 3)
  await fork.run('session.end', { outcome: 'completed' })
  expect(await session.get('$.data.topic', { at: 2 })).toBe('auth')
  expect(await session.query('$.data.topic')).toHaveLength(1)
  await session.close()
}

async function bytesOf(log: Log, session: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const { bytes } of log.read(session, START)) chunks.push(Buffer.from(bytes))
  return Buffer.concat(chunks).toString()
}

const all = async (copies: AsyncIterable<{ readonly name: string; readonly commits: number }>) => {
  const done = []
  for await (const each of copies) done.push(each)
  return done.sort((a, b) => a.name.localeCompare(b.name))
}

test.each(pairs)('C1 C2 the work of a team on %s is copied to %s byte for byte, once', async (_from, _to, from, to) => {
  const [source, target] = [workspaceOn(await from.open()), workspaceOn(await to.open())]
  await work(source)
  const copied = await all(copyWorkspace(source, target))
  expect(copied.map(({ name }) => name)).toEqual(['apart', 'build'])
  for await (const id of source.kernel.log.list()) {
    expect(await bytesOf(target.kernel.log, id)).toBe(await bytesOf(source.kernel.log, id))
    expect(await verifySession(target.kernel, id)).toMatchObject({ ok: true })
  }
  const more = await source.session('build')
  await more.run('state.set', { path: '$.data.more', value: 1 })
  expect((await all(copyWorkspace(source, target))).map(({ commits }) => commits)).toEqual([0, 1])
  expect((await target.session('build')).get('$.data.more')).toBe(1)
  await expect(target.createSession({ name: 'build' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
  await Promise.all([source.close(), target.close()])
})

test('C3 a session that is there with another history is left alone, and the others are copied', async () => {
  const memory = drivers[0]
  if (memory === undefined) throw new Error('there are drivers')
  const [source, target] = [workspaceOn(await memory.open()), workspaceOn(await memory.open())]
  await work(source)
  const { id } = await source.session('build')
  await target.kernel.log.create(id)
  await target.kernel.log.append(id, together(...chainOf(1, START)), START, { durability: 'durable' })
  const done = await all(copyWorkspace(source, target))
  expect(done).toMatchObject([{ name: 'apart', seq: 5 }, { error: { code: 'DIVERGED' } }])
})

test('C3 a session that went on over there is left alone, and told as ahead', async () => {
  const memory = drivers[0]
  if (memory === undefined) throw new Error('there are drivers')
  const [source, target] = [workspaceOn(await memory.open()), workspaceOn(await memory.open())]
  await work(source)
  await all(copyWorkspace(source, target))
  await (await target.session('build')).run('state.set', { path: '$.data.more', value: 1 })
  const done = await all(copyWorkspace(source, target))
  expect(done).toMatchObject([{ name: 'apart', commits: 0 }, { error: { code: 'CONFLICT' } }])
  expect((await target.session('build')).get('$.data.more')).toBe(1)
})

test('C3 a session that cannot be read is told by its id, and the others are copied', async () => {
  const memory = drivers[0]
  if (memory === undefined) throw new Error('there are drivers')
  const [source, target] = [workspaceOn(await memory.open()), workspaceOn(await memory.open())]
  await source.kernel.log.create('0')
  const events = [{ type: 'data.set', data: {} }]
  const about = { at: '2026-01-01T00:00:00.000Z', id: 'id-1', actor: 'tool:test', op: 'state.set', cause: null }
  const foreign = lineOf({ seq: 1, ...about, events }, START.hash)
  await source.kernel.log.append('0', together(foreign), START, { durability: 'durable' })
  await work(source)
  const done = await all(copyWorkspace(source, target))
  expect(done).toMatchObject([{ name: '0', error: { code: 'LOG_CORRUPT' } }, { name: 'apart' }, { name: 'build' }])
  expect(done[0]).toHaveProperty('error.hint')
})

import { expect, test } from 'vitest'
import { overriding } from '../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../compose.ts'

async function begin() {
  const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  const session = await workspace.createSession({ name: 'test' })
  const put = async (value: unknown, key = 'a') => session.run('state.set', { path: `$.data.${key}`, value })
  return { workspace, session, put }
}

test('a fork shares history up to a point and goes its own way', async () => {
  const { workspace, session, put } = await begin()
  await put(1)
  await put(2)
  const fork = await workspace.fork(session, 'other', 2)
  expect(fork.get('$.data.a')).toBe(1)
  expect(fork.stored['session']).toMatchObject({
    id: fork.id,
    name: 'other',
    lineage: [{ session: session.id, seq: 2 }],
  })
  await fork.run('state.set', { path: '$.data.a', value: 'fork' })
  expect(session.get('$.data.a')).toBe(2)
  const hashes = async (of: typeof session) => {
    const list: string[] = []
    for await (const { hash } of of.commits()) list.push(hash)
    return list
  }
  expect((await hashes(fork)).slice(0, 2)).toEqual((await hashes(session)).slice(0, 2))
})

test('a fork goes on from before the point where it was forked itself', async () => {
  const { workspace, session, put } = await begin()
  await put(1)
  const fork = await workspace.fork(session, 'other', 2)
  await fork.run('state.set', { path: '$.data.a', value: 'fork' })
  const third = await workspace.fork(fork, 'third', 1, { key: 'third' })
  expect((await workspace.fork(fork, 'third', 1, { key: 'third' })).id).toBe(third.id)
  expect(third.stored['session']).toMatchObject({ id: third.id, lineage: [{ session: session.id, seq: 1 }] })
  const fourth = await workspace.fork(fork, 'fourth')
  expect(fourth.stored['session']).toMatchObject({ lineage: [{ session: session.id }, { session: fork.id, seq: 4 }] })
})

test('a fork makes nothing where the history that it shares is damaged', async () => {
  const kernel = memoryKernel({ checkpoints: false })
  let value = 1
  const log = overriding(kernel.log, {
    async *read(id, after) {
      for await (const chunk of kernel.log.read(id, after))
        yield { ...chunk, bytes: Buffer.from(chunk.bytes.toString().replace('"value":1', `"value":${value}`)) }
    },
  })
  const workspace = makeWorkspace({ ...kernel, log })
  const session = await workspace.createSession({ name: 'test' })
  for (const each of [value, 3]) await session.run('state.set', { path: '$.data.a', value: each })
  value = 2
  await expect(workspace.fork(session, 'other')).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  const made: string[] = []
  for await (const id of log.list()) made.push(id)
  expect(made).toEqual([session.id])
  expect((await workspace.fork(session, 'other', 1)).seq).toBe(2)
})

test('L7 a fork that is asked for again with its key is the one that it made', async () => {
  const { workspace, session, put } = await begin()
  await put(1)
  const options = { key: 'once', actor: 'agent:planner' }
  const [fork, twin] = await Promise.all([1, 2].map(() => workspace.fork(session, 'other', '@', options)))
  expect(twin?.id).toBe(fork?.id)
  await put(2)
  await fork?.run('state.set', { path: '$.data.own', value: true })
  const again = await workspace.fork(session, 'other', '@', options)
  expect([again.id, again.seq]).toEqual([fork?.id, 4])
  const taken = { code: 'NAME_TAKEN' }
  await expect(workspace.fork(session, 'other', '@', { key: 'another' })).rejects.toMatchObject(taken)
  await expect(workspace.fork(session, 'other')).rejects.toMatchObject(taken)
  await expect(workspace.fork(again, 'other', '@', options)).rejects.toMatchObject(taken)
  await workspace.createSession({ name: 'third', key: 'made' })
  await expect(workspace.fork(session, 'third', '@', { key: 'made' })).rejects.toMatchObject(taken)
})

test('L7 a key that the shared history has used makes no fork, and the name stays free', async () => {
  const { workspace, session } = await begin()
  await session.run('state.set', { path: '$.data.a', value: 1 }, { key: 'used' })
  const reused = { code: 'KEY_REUSED' }
  await expect(workspace.fork(session, 'other', '@', { key: 'used' })).rejects.toMatchObject(reused)
  const other = await workspace.fork(session, 'other', 1, { key: 'used' })
  expect(other.seq).toBe(2)
  // It would be answered as the fork was from which it goes on.
  await expect(workspace.fork(other, 'third', '@', { key: 'used' })).rejects.toMatchObject(reused)
  await expect(workspace.rehearse({ name: 'third', key: 'used' }, { from: other, seq: 2 })).rejects.toMatchObject(
    reused,
  )
  await workspace.rehearse({ name: 'other', key: 'used' }, { from: session, seq: 1 })
})

test('a fork that is refused leaves nothing behind', async () => {
  const { workspace, session } = await begin()
  await session.run('state.set', { path: '$.data.a', value: 1 }, { key: 'used' })
  const wrong = [
    () => workspace.fork(session, 'other', '@', { key: 'used' }),
    () => workspace.fork(session, 'x'.repeat(200)),
    () => workspace.fork(session, 'other', '@', { actor: 'nobody' }),
    () => workspace.rehearse({ name: 'x'.repeat(200) }, { from: session, seq: 1 }),
  ]
  for (const fork of wrong) await expect(fork()).rejects.toThrow()
  const ids: string[] = []
  for await (const id of workspace.kernel.log.list()) ids.push(id)
  expect(ids).toEqual([session.id])
})

test('a session that is there does not become a fork of another', async () => {
  const { workspace, session } = await begin()
  const other = await workspace.createSession({ name: 'other' })
  for (const from of [session, other]) {
    const input = { id: 'x', name: 'x', from: { session: from.id, seq: 1, hash: 'x' } }
    expect(await session.run('session.fork', input)).toMatchObject({ code: 'LIFECYCLE_INVALID' })
  }
  expect(session.get('$.session.id')).toBe(session.id)
})

test('a fork has the blobs that its log names, and no others', async () => {
  const { workspace, session, put } = await begin()
  const before = await session.texts.keep('kept before')
  await put({ report: before?.sha256 })
  const after = await session.texts.keep('kept after')
  await put({ report: after?.sha256 })
  const fork = await workspace.fork(session, 'other', 2)
  expect(await fork.texts.read(before?.sha256 ?? '')).toBe('kept before')
  expect(await fork.texts.read(after?.sha256 ?? '')).toBeUndefined()
})

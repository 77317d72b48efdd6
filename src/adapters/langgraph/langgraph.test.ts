import { emptyCheckpoint, uuid6, type Checkpoint, type CheckpointMetadata } from '@langchain/langgraph-checkpoint'
import { expect, test } from 'vitest'
import { long, two } from '../../../test/adapters/two.ts'
import { SteadfoldSaver } from './langgraph.ts'

const META: CheckpointMetadata = { source: 'loop', step: 0, parents: {} }
const thread = { configurable: { thread_id: 't', checkpoint_ns: '' } }

function checkpointOf(values: Record<string, unknown>, version: number): Checkpoint {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, version]))
  return { ...emptyCheckpoint(), id: uuid6(version), channel_values: values, channel_versions: versions }
}

test('C1: two writers on one thread keep every checkpoint and every write', async () => {
  const { sessions } = await two()
  const savers = sessions.map((session) => new SteadfoldSaver(session))
  const root = checkpointOf({ n: 0 }, 1)
  const [first] = savers
  const config = await first?.put(thread, root, META, { n: 1 })
  await Promise.all(
    Array.from({ length: 20 }, async (_, task) => {
      const saver = savers[task % 2]
      await saver?.putWrites(config ?? {}, [['n', task]], `task-${String(task).padStart(2, '0')}`)
      await saver?.put(config ?? {}, checkpointOf({ n: task }, 2), META, { n: 2 })
    }),
  )
  for (const saver of savers) {
    let found = 0
    for await (const { checkpoint } of saver.list(thread)) found += checkpoint.v === 4 ? 1 : 0
    expect(found).toBe(21)
    const tuple = await saver.getTuple(config ?? {})
    expect(tuple?.pendingWrites?.map(([, , value]) => value)).toEqual(Array.from({ length: 20 }, (_, task) => task))
  }
})

test('C2: two runs from one checkpoint give one version to different values, and each keeps its own', async () => {
  const { sessions } = await two()
  const [one, other] = sessions.map((session) => new SteadfoldSaver(session))
  const config = (await one?.put(thread, checkpointOf({ a: 0, b: 'same' }, 1), META, { a: 1, b: 1 })) ?? {}
  const versions = { a: 2, b: 1 }
  const next = (a: number) => ({ ...checkpointOf({ a, b: 'same' }, 2), channel_versions: versions })
  const [left, right] = await Promise.all([
    one?.put(config, next(1), META, { a: 2 }),
    other?.put(config, next(2), META, { a: 2 }),
  ])
  const values = async (at = {}) => (await one?.getTuple(at))?.checkpoint.channel_values
  expect([await values(left), await values(right)]).toEqual([
    { a: 1, b: 'same' },
    { a: 2, b: 'same' },
  ])
  // A copy without a common parent, as LangGraph makes for a fork.
  const copy = { ...next(1), id: uuid6(9) }
  expect(await values(await other?.put(thread, copy, { ...META, source: 'fork' }, {}))).toEqual({ a: 1, b: 'same' })
})

test('C3: the same writes again add no commit, and the first value of a write counts', async () => {
  const { sessions } = await two()
  const [session, again] = sessions
  const saver = new SteadfoldSaver(session)
  const config = await saver.put(thread, checkpointOf({}, 1), META, {})
  await saver.putWrites(config, [['n', 1]], 'task')
  const { seq } = session
  await new SteadfoldSaver(again).putWrites(config, [['n', 1]], 'task')
  expect(again.seq).toBe(seq)
  await saver.putWrites(config, [['n', 2]], 'task')
  expect((await saver.getTuple(config))?.pendingWrites).toEqual([['task', 'n', 1]])
})

test('C3: of an interrupt the last value counts, also when it was there before', async () => {
  const { sessions } = await two()
  const saver = new SteadfoldSaver(sessions[0])
  const config = await saver.put(thread, checkpointOf({}, 1), META, {})
  for (const value of ['a', 'b', 'a']) await saver.putWrites(config, [['__interrupt__', value]], 'task')
  expect((await saver.getTuple(config))?.pendingWrites).toEqual([['task', '__interrupt__', 'a']])
})

test('C2: a channel whose name speaks of a secret is found where it was changed last, whatever its version', async () => {
  const { sessions } = await two()
  const saver = new SteadfoldSaver(sessions[0])
  const values = { access_token: 'none yet', password: ['a'] }
  const config = await saver.put(thread, checkpointOf(values, 4711), META, { access_token: 4711, password: 4711 })
  const next = await saver.put(config, { ...checkpointOf(values, 4711), id: uuid6(9) }, META, {})
  expect((await saver.getTuple(next))?.checkpoint.channel_values).toEqual(values)
})

test('A3: a large channel is a blob, kept once, and bytes come back as bytes', async () => {
  const { sessions } = await two()
  const [session] = sessions
  const saver = new SteadfoldSaver(session)
  const values = { text: long('words '), bytes: new Uint8Array([0, 255, 1]) }
  const config = await saver.put(thread, checkpointOf(values, 1), META, { text: 1, bytes: 1 })
  expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual(values)
  expect(JSON.stringify(session.stored).length).toBeLessThan(10_000)
})

test('A5: what the serializer writes nothing for comes back as undefined, and the rest of the thread with it', async () => {
  const { sessions } = await two()
  const saver = new SteadfoldSaver(sessions[0])
  const odd = { fn: () => 1, symbol: Symbol('s'), n: 1 }
  const config = await saver.put(thread, checkpointOf(odd, 1), META, { fn: 1, symbol: 1, n: 1 })
  await saver.putWrites(config, [['fn', odd.fn]], 'task')
  const tuple = await saver.getTuple(thread)
  expect(tuple?.checkpoint.channel_values).toEqual({ n: 1 })
  expect(tuple?.pendingWrites).toEqual([['task', 'fn', undefined]])
})

test('C1: a thread that has a number for a name is deleted by it', async () => {
  const { sessions } = await two()
  const saver = new SteadfoldSaver(sessions[0])
  const numbered: { configurable: { thread_id: string } } = JSON.parse('{"configurable":{"thread_id":7}}')
  await saver.put(numbered, checkpointOf({}, 1), META, {})
  await saver.deleteThread(numbered.configurable.thread_id)
  expect(await saver.getTuple(numbered)).toBeUndefined()
})

test('C1: a name that would reach a prototype is refused, and a deleted thread is gone for others', async () => {
  const { sessions } = await two()
  const [one, other] = [new SteadfoldSaver(sessions[0]), new SteadfoldSaver(sessions[1])]
  const hostile = { configurable: { thread_id: '__proto__' } }
  await expect(one.put(hostile, checkpointOf({}, 1), META, {})).rejects.toMatchObject({ code: 'KEY_FORBIDDEN' })
  await one.put(thread, checkpointOf({}, 1), META, {})
  await other.deleteThread('t')
  expect(await one.getTuple(thread)).toBeUndefined()
})

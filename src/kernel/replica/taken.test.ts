import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import type { AppendOptions, Lines, Log, Position } from '../ports.ts'
import type { Session } from '../session.ts'
import { Checkpointing } from './checkpointing.ts'
import { makeCheckpoint } from './make-checkpoint.ts'
import { Replica } from './replica.ts'
import type { Taken } from './taken.ts'

/** Every commit asks for a checkpoint; `lost` appends lose to somebody else. */
async function begin() {
  const taken: (Taken | undefined)[] = []
  const lost = { appends: 0 }
  const plain = memoryKernel({ checkpointBytes: 1, checkpointMs: 0 })
  const append = (id: string, batch: Lines, after: Position, options: AppendOptions): ReturnType<Log['append']> =>
    lost.appends-- > 0 ? { kind: 'conflict' } : plain.log.append(id, batch, after, options)
  const host = fixedHost()
  const kernel: Kernel = {
    ...plain,
    host,
    log: overriding(plain.log, { append }),
    checkpoint: async (_id, where, one) => {
      if (where === 'aside') taken.push(one)
      return 0
    },
  }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  await session.refresh()
  taken.length = 0
  return { kernel, host, session, taken, lost }
}

async function replayed(kernel: Kernel, { id }: Session): Promise<Replica> {
  const replica = new Replica(kernel, id)
  await replica.open()
  return replica
}

const name = fc.constantFrom('a', 'b', 'c', '1')
const value = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.array(name, { maxLength: 3 }),
  fc.dictionary(name, fc.dictionary(name, fc.boolean(), { noNullPrototype: true }), { noNullPrototype: true }),
)
const who = fc.constantFrom('agent:x', 'agent:y')
const seldom = <Value>(one: Value, other: Value) =>
  fc.constantFrom(one, other, other, other, other, other, other, other)
const run = (operation: string, input: fc.Arbitrary<unknown>) =>
  fc.record({
    operation: fc.constant(operation),
    input,
    options: fc.record({ actor: who, dryRun: seldom(true, false) }),
    lost: seldom(2, 0),
    wait: seldom(90_000, 0),
  })
const moves = fc.array(
  fc.oneof(
    run('state.set', fc.record({ path: fc.tuple(name, name).map(([a, b]) => `$.data['${a}']['${b}']`), value })),
    run('state.set', fc.record({ path: name.map((a) => `$.data['${a}']`), value })),
    run('state.delete', fc.record({ path: name.map((a) => `$.data['${a}']`) })),
    run('lock.acquire', fc.record({ resource: name })),
    run('lock.release', fc.record({ resource: name })),
    run('task.add', fc.record({ title: name })),
    run('task.claim', fc.constant({ any: true })),
    run('task.release', fc.constant({ task: 'task-1' })),
    run('task.done', fc.constant({ task: 'task-1' })),
    run('turn.join', fc.constant({ channel: 'c' })),
    run('turn.take', fc.constant({ channel: 'c' })),
    run('turn.end', fc.constant({ channel: 'c' })),
    run('message.send', fc.constant({ to: 'agent:x', body: 'm' })),
    run('message.receive', fc.constant({})),
  ),
  { minLength: 10, maxLength: 30 },
)

test('T1 what is taken is what replay gives, to the order of members', async () => {
  let compared = 0
  const compare = async (all: Awaited<ReturnType<typeof begin>>) => {
    const last = all.taken.at(-1)
    all.taken.length = 0
    if (last === undefined) return
    const { tree, chain, at, keys } = await replayed(all.kernel, all.session)
    expect(last.state).toBe(JSON.stringify(tree))
    expect(last).toMatchObject({ position: { ...chain.position }, at, keys })
    compared++
  }
  await fc.assert(
    fc.asyncProperty(moves, async (list) => {
      const all = await begin()
      for (const [index, { operation, input, options, lost, wait }] of list.entries()) {
        all.host.advance(wait)
        all.lost.appends = lost
        await all.session.run(operation, input, { ...options, key: `key-${index}` })
        await all.session.refresh()
        await compare(all)
      }
    }),
    { numRuns: 1000 },
  )
  expect(compared).toBeGreaterThan(300)
}, 60_000)

test('T1 nothing is taken once a member that was removed has come back behind the others, until the state is read anew', async () => {
  const { session, taken, kernel } = await begin()
  for (const each of ['a', 'b', 'c']) await session.run('state.set', { path: `$.data.${each}`, value: 1 })
  await session.run('state.delete', { path: '$.data.a' }, { dryRun: true })
  await session.run('state.set', { path: '$.data.a', value: 2 })
  await session.refresh()
  expect(Object.keys(session.get('$.data') as object)).toEqual(['b', 'c', 'a'])
  expect(taken.map((one) => one?.position.seq)).toEqual([2, 3, 4, undefined])
  const other = await makeWorkspace(kernel).session('test')
  await other.run('state.set', { path: '$.data.d', value: 1 })
  await other.refresh()
  expect(Object.keys(JSON.parse(taken.at(-1)?.state ?? '').data)).toEqual(['a', 'b', 'c', 'd'])
})

test('T2 it is taken in quiet', async () => {
  const { kernel, session, taken } = await begin()
  const replica = await replayed(kernel, session)
  const { tree } = replica
  const looks: boolean[] = []
  let isQuiet = false
  Object.defineProperty(replica, 'tree', { get: () => (looks.push(isQuiet), tree) })
  const checkpointing = new Checkpointing(kernel, replica, async (task) => {
    isQuiet = true
    const done = task()
    isQuiet = false
    return done
  })
  replica.bytesSince = 1_000_000
  checkpointing.wrote()
  await checkpointing.finish()
  // The first look is for whether the session begins to end.
  expect([looks, taken.map((one) => one?.position.seq)]).toEqual([[false, true], [1]])
})

test('T3 nothing is taken of a state whose text is long, nor of very many keys', async () => {
  const { session, taken } = await begin()
  const put = async (value: string, key?: string) => {
    await session.run('state.set', { path: `$.data.a`, value }, key === undefined ? {} : { key })
    await session.refresh()
    return taken.at(-1) !== undefined
  }
  expect(await put('x'.repeat(1_000_000))).toBe(true)
  expect(await put('x'.repeat(1_100_000))).toBe(false)
  expect(await put('x')).toBe(true)
  const all = Array.from({ length: 4096 }, (_, i) =>
    session.run('state.set', { path: '$.data.b', value: i }, { key: `${i}` }),
  )
  await Promise.all(all)
  expect(await put('y')).toBe(true)
  expect(await put('z', 'one more')).toBe(false)
})

test('a checkpoint of what was taken is byte for byte that of a session that is recovered, and reads no log', async () => {
  const { session, taken, kernel } = await begin()
  const put = (value: unknown, key: string) => session.run('state.set', { path: '$.data.a', value }, { key })
  for (const value of [{ b: 1, a: [1, { c: 'ü' }] }, 'x'.repeat(100_000)])
    await put(value, JSON.stringify(value).slice(0, 9))
  await session.refresh()
  const bytes = async () => (await kernel.log.checkpoints?.get(session.id))?.toString('utf8')
  const reads: string[] = []
  const told = (what: string) => () => {
    reads.push(what)
    throw new Error(what)
  }
  const unread = overriding(kernel.log, { read: told('read'), peek: told('peek') })
  const size = await makeCheckpoint({ ...kernel, log: unread }, session.id, taken.at(-1))
  const made = await bytes()
  expect([reads, size]).toEqual([[], Buffer.byteLength(made ?? '')])
  await kernel.log.checkpoints?.delete(session.id)
  await makeCheckpoint(kernel, session.id)
  expect(made).toBe(await bytes())
})

test('K3 a checkpoint of what was taken is of durable commits, and goes again when its log was cut', async () => {
  const { session, taken, kernel } = await begin()
  await session.run('state.set', { path: '$.data.a', value: 1 }, { durability: 'relaxed' })
  await session.refresh()
  const calls: string[] = []
  const { checkpoints } = kernel.log
  if (checkpoints === undefined) throw new Error('no checkpoints')
  const log = overriding(kernel.log, {
    sync: async () => void calls.push('sync'),
    stands: async () => (calls.push('stands'), 'no' as const),
    checkpoints: {
      ...checkpoints,
      put: async () => void calls.push('put'),
      delete: async () => void calls.push('delete'),
    },
  })
  expect(await makeCheckpoint({ ...kernel, log }, session.id, taken.at(-1))).toBe(0)
  expect(calls).toEqual(['sync', 'put', 'stands', 'delete'])
})

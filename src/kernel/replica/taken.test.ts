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

/** As a rule every commit asks for a checkpoint; `lost` appends lose to somebody else. */
async function begin(checkpointBytes = 1) {
  const taken: (Taken | undefined)[] = []
  const lost = { appends: 0 }
  const plain = memoryKernel({ checkpointBytes, checkpointMs: 0 })
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
  await session.run('channel.create', { channel: 'c' })
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
const OPERATIONS =
  'lock.acquire lock.release message.receive message.send state.delete state.set task.add task.claim task.done task.release turn.end turn.join turn.take'
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
    run('message.send', fc.constant({ to: ['agent:x'], payload: 'm' })),
    run('message.receive', fc.constant({})),
  ),
  { minLength: 10, maxLength: 30 },
)

test('T1 what is taken is what replay gives, to the order of members', async () => {
  const accepted = new Set<string>()
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
        const answer = await all.session.run(operation, input, { ...options, key: `key-${index}` })
        if (answer.kind === 'accepted') accepted.add(operation)
        await all.session.refresh()
        await compare(all)
      }
    }),
    { numRuns: 1000 },
  )
  expect(compared).toBeGreaterThan(300)
  expect([...accepted].toSorted().join(' ')).toBe(OPERATIONS)
}, 60_000)

test('T1 nothing is taken once a member that was removed has come back behind the others, until the state is read anew', async () => {
  const { session, taken, kernel } = await begin()
  for (const each of ['a', 'b', 'c']) await session.run('state.set', { path: `$.data.${each}`, value: 1 })
  await session.run('state.delete', { path: '$.data.a' }, { dryRun: true })
  await session.run('state.set', { path: '$.data.a', value: 2 })
  await session.refresh()
  expect(taken.map((one) => one?.position.seq)).toEqual([3, 4, 5, undefined])
  const other = await makeWorkspace(kernel).session('test')
  await other.run('state.set', { path: '$.data.d', value: 1 })
  await other.refresh()
  expect(Object.keys(JSON.parse(taken.at(-1)?.state ?? '').data)).toEqual(['a', 'b', 'c', 'd'])
})

test('T1 nothing is taken once somebody holds an object of the state, and may have written to it', async () => {
  const looks: readonly ((session: Session) => unknown)[] = [
    (session) => session.get('$.data.list'),
    (session) => session.query('$.data.list'),
    (session) => session.stored,
    (session) => session.stateAt(),
    (session) => session.get(),
  ]
  for (const look of looks) {
    const { session, taken } = await begin()
    const put = async (value: unknown) => {
      await session.run('state.set', { path: '$.data.list', value })
      await session.refresh()
      return taken.at(-1) !== undefined
    }
    expect(await put([3, 1, 2])).toBe(true)
    expect([session.get('$.data.list[0]'), session.get('$.data.none'), await put([3, 2])]).toEqual([3, undefined, true])
    const copies = [
      (await session.bulk(['$.data.list']))['$.data.list'],
      ...(await session.query('$.data.list', { at: '@' })),
    ]
    for (const copy of copies) (copy as number[]).length = 0
    expect([session.get('$.data.list[0]'), await put([3, 4])]).toEqual([3, true])
    await look(session)
    expect(await put([2, 1, 3]), String(look)).toBe(false)
  }
})

test('T1 nothing is taken beside an observer', async () => {
  const { kernel, session } = await begin()
  const taken: unknown[] = []
  const observer = { deciding: () => undefined, conflicted: () => undefined, committed: () => undefined } as never
  const replica = await replayed(kernel, session)
  const watched: Kernel = { ...kernel, observer, checkpoint: async (_id, _where, one) => (taken.push(one), 0) }
  const checkpointing = new Checkpointing(watched, replica, (task) => task())
  replica.bytesSince = 1_000_000
  checkpointing.wrote()
  await checkpointing.finish()
  expect(taken).toEqual([undefined])
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
    return task().finally(() => (isQuiet = false))
  })
  replica.bytesSince = 1_000_000
  checkpointing.wrote()
  await checkpointing.finish()
  // The first look is for whether the session begins to end.
  expect([looks, taken.map((one) => one?.position.seq)]).toEqual([[false, true], [2]])
})

test('T2 what cannot be taken is recovered', async () => {
  const { kernel, session, taken } = await begin()
  const replica = await replayed(kernel, session)
  const checkpointing = new Checkpointing(kernel, replica, () => Promise.reject(new Error('a test')))
  replica.bytesSince = 1_000_000
  checkpointing.wrote()
  await checkpointing.finish()
  expect(taken).toEqual([undefined])
})

test('T2 of a session that is closed what others wrote is taken, too', async () => {
  const { kernel, session, taken } = await begin(2_000_000)
  const other = await makeWorkspace(kernel).session('test')
  const put = (to: Session, key: string) =>
    to.run('state.set', { path: '$.data.a', value: key.padEnd(40_000, '.') }, { key })
  for (let i = 0; i < 30; i++) await put(session, `a${i}`)
  for (let i = 0; i < 9; i++) await put(other, `b${i}`)
  taken.length = 0
  await session.close()
  const one = taken.at(-1)
  expect([one?.position.seq, one?.keys.size]).toEqual([other.seq, 39])
})

test('T2 what is written behind it is not in it', async () => {
  const { session, taken } = await begin()
  for (const key of ['now', 'later']) {
    await session.run('state.set', { path: '$.data.a', value: key }, { key })
    await session.refresh()
  }
  expect(taken.map((one) => [...(one?.keys.keys() ?? [])])).toEqual([['now'], ['now', 'later']])
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

test('what was taken by other code, of a log that is another one by now, or before what stands there, is of no use', async () => {
  const { session, taken, kernel } = await begin()
  await session.run('state.set', { path: '$.data.a', value: 1 })
  await session.refresh()
  const one = taken.at(-1)
  if (one === undefined) throw new Error('nothing was taken')
  const wrong = { ...one, state: '{"data":"wrong"}' }
  const made = async (with_: Kernel, what: Taken) => {
    await kernel.log.checkpoints?.delete(session.id)
    await makeCheckpoint(with_, session.id, what)
    const text = (await kernel.log.checkpoints?.get(session.id))?.toString('utf8') ?? '{}'
    const { seq, state } = JSON.parse(text) as { readonly seq: number; readonly state: { readonly data: unknown } }
    return [seq, state.data]
  }
  const { checkpoints } = kernel.log
  if (checkpoints === undefined) throw new Error('no checkpoints')
  const younger = overriding(kernel.log, {
    checkpoints: { ...checkpoints, latest: () => ({ seq: session.seq, age: 0 }) },
  })
  const recovered = [session.seq, { a: 1 }]
  expect(await made(kernel, wrong)).toEqual([session.seq, 'wrong'])
  expect(await made(kernel, { ...wrong, shape: 'older' })).toEqual(recovered)
  expect(await made(kernel, { ...wrong, position: { ...one.position, hash: '0'.repeat(64) } })).toEqual(recovered)
  expect(await made({ ...kernel, log: younger }, wrong)).toEqual(recovered)
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
    stands: async () => (calls.push('stands'), calls.includes('put') ? ('no' as const) : ('yes' as const)),
    checkpoints: {
      ...checkpoints,
      put: async () => void calls.push('put'),
      delete: async () => void calls.push('delete'),
    },
  })
  expect(await makeCheckpoint({ ...kernel, log }, session.id, taken.at(-1))).toBe(0)
  expect(calls).toEqual(['stands', 'sync', 'put', 'stands', 'delete'])
})

import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import type { Lines, Log, Position } from '../ports.ts'
import { Session } from '../session.ts'

const kernelOf = (): Kernel => ({ ...memoryKernel({ checkpoints: false }), host: fixedHost() })
const set = (path: string, value: unknown) => ['state.set', { path, value }] as const

async function begin(kernel = kernelOf()) {
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  return { kernel, session, other: () => new Session(kernel, session.id).open() }
}

describe('answers', () => {
  test('an accepted operation says where it stands', async () => {
    const { session } = await begin()
    const answer = await session.run(...set('$.data.a', 1))
    expect(answer).toMatchObject({ kind: 'accepted', seq: 2, events: [{ type: 'data.set' }] })
    expect(session.get('$.data.a')).toBe(1)
  })

  test('a refusal is an answer with a code and adds nothing', async () => {
    const { session } = await begin()
    expect(await session.run(...set('$.session.name', 'x'))).toMatchObject({
      kind: 'refused',
      code: 'PATH_NOT_WRITABLE',
    })
    expect(session.seq).toBe(1)
  })

  test('wrong input is refused before anything is decided', async () => {
    const { session } = await begin()
    expect(await session.run('state.set', { path: 7 })).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  })

  test('an unknown operation is a failure', async () => {
    const { session } = await begin()
    await expect(session.run('state.sett', {})).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
  })
})

describe('L7 idempotency keys', () => {
  test('L7 the same key gives the first answer again and adds nothing', async () => {
    const { session } = await begin()
    const first = await session.run(...set('$.data.a', 1), { key: 'k' })
    await session.run(...set('$.data.a', 2))
    const again = await session.run(...set('$.data.a', 3), { key: 'k' })
    expect(again).toMatchObject({
      kind: 'accepted',
      seq: 2,
      repeated: true,
      events: first.kind === 'accepted' ? first.events : [],
    })
    expect(session.get('$.data.a')).toBe(2)
    expect(session.seq).toBe(3)
  })

  test('L7 the same key gives the first answer again whatever became of what it was made of', async () => {
    const { session } = await begin()
    await session.run('session.mark', { name: 'here' })
    const mark = () => session.run('session.mark', { name: 'same', at: 'here' }, { key: 'mark' })
    const restore = () => session.run('session.restore', { to: 'here' }, { key: 'restore' })
    await session.run(...set('$.data.a', 1))
    const first = [await mark(), await restore()]
    await session.run('session.unmark', { name: 'here' })
    const { seq } = session
    const again = [await mark(), await restore()]
    expect(again).toEqual(first.map((answer) => ({ ...answer, repeated: true })))
    expect(session.seq).toBe(seq)
  })

  test('L7 a name that a key gave is not taken again, and may be of another by now', async () => {
    const kernel = kernelOf()
    const workspace = makeWorkspace(kernel)
    const session = await workspace.createSession({ name: 'first' })
    const rename = () => session.run('session.rename', { name: 'second' }, { key: 'rename' })
    const answer = await rename()
    await session.run('session.rename', { name: 'third' })
    await (await workspace.createSession({ name: 'second' })).close()
    expect(await rename()).toEqual({ ...answer, repeated: true })
    expect((await workspace.session('third')).id).toBe(session.id)
  })

  test('L7 the same key twice in one group is one commit', async () => {
    const { session } = await begin()
    const answers = await Promise.all([1, 2].map((value) => session.run(...set('$.data.a', value), { key: 'k' })))
    expect(answers.map((answer) => answer.kind === 'accepted' && answer.seq)).toEqual([2, 2])
    expect(session.get('$.data.a')).toBe(1)
  })

  test('L7 a key that another process used is known, and one of another operation is refused', async () => {
    const { session, other } = await begin()
    const second = await other()
    await session.run(...set('$.data.a', 1), { key: 'k' })
    expect(await second.run(...set('$.data.a', 2), { key: 'k' })).toMatchObject({ seq: 2, repeated: true })
    expect(await second.run('state.delete', { path: '$.data.a' }, { key: 'k' })).toMatchObject({ code: 'KEY_REUSED' })
  })

  test('L7 a refused operation leaves its key free', async () => {
    const { session } = await begin()
    await session.run(...set('$.session', 1), { key: 'k' })
    expect(await session.run(...set('$.data.a', 1), { key: 'k' })).toMatchObject({ kind: 'accepted', seq: 2 })
  })
})

describe('L4 expected sequence numbers', () => {
  test('L4 a stale ifSeq is a conflict', async () => {
    const { session } = await begin()
    expect(await session.run(...set('$.data.a', 1), { ifSeq: 1 })).toMatchObject({ kind: 'accepted', seq: 2 })
    expect(await session.run(...set('$.data.a', 2), { ifSeq: 1 })).toMatchObject({ kind: 'refused', code: 'CONFLICT' })
  })

  test('L4 a read that holds at one sequence number only is a conflict at another', async () => {
    const { session } = await begin()
    const read = (ifSeq: number, at?: number) => session.run('state.get', { path: '$.data.a' }, { ifSeq, at })
    await session.run(...set('$.data.a', 1))
    expect([await read(2), await read(1), await read(1, 1), await read(2, 1)]).toMatchObject([
      { kind: 'accepted', seq: 2, value: 1 },
      { kind: 'refused', code: 'CONFLICT', details: { expected: 1, seq: 2 } },
      { kind: 'accepted', seq: 1, value: undefined },
      { kind: 'refused', code: 'CONFLICT' },
    ])
  })

  test('L4 of two callers with the same ifSeq in one group one wins', async () => {
    const { session } = await begin()
    const answers = await Promise.all([1, 2].map((value) => session.run(...set('$.data.a', value), { ifSeq: 1 })))
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'refused'])
  })
})

describe('many writers', () => {
  test('two open sessions see each other and lose nothing', async () => {
    const { session, other } = await begin()
    const second = await other()
    const writers = [session, second]
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? session : second).run(...set(`$.data.k${i}`, i))),
    )
    await Promise.all(writers.map((each) => each.refresh()))
    expect(session.seq).toBe(101)
    expect(session.stored).toEqual(second.stored)
    expect(Object.keys((await session.stateAt())['data'] ?? {})).toHaveLength(100)
  })

  test('X3 an append whose outcome was a lost race is decided again on what the winner left', async () => {
    const { kernel, session } = await begin()
    await session.run(...set('$.data.list', ['first']))
    const rival = await new Session(kernel, session.id).open()
    const interrupted: Kernel = {
      ...kernel,
      log: beforeFirstAppend(kernel.log, () => rival.run(...set('$.data.list', ['rival']))),
    }
    const loser = await new Session(interrupted, session.id).open()
    expect(await loser.run(...set('$.data.list[1]', 'loser'))).toMatchObject({ kind: 'accepted', seq: 4 })
    expect(loser.get('$.data.list')).toEqual(['rival', 'loser'])
  })

  test('X3 an attempt that was believed lost but stands in the log is not made twice', async () => {
    const { kernel, session } = await begin()
    const forgetful: Kernel = { ...kernel, log: forgetFirstAppend(kernel.log) }
    const writer = await new Session(forgetful, session.id).open()
    expect(await writer.run(...set('$.data.a', 1))).toMatchObject({ kind: 'accepted', seq: 2, repeated: true })
    expect(writer.seq).toBe(2)
  })
})

describe('what the caller holds is not what the state holds', () => {
  test('E2 changing an input or an event afterwards changes no state', async () => {
    const { session } = await begin()
    const value = { list: [1] }
    const answer = await session.run(...set('$.data.a', value))
    value.list.push(2)
    const [event] = answer.kind === 'accepted' ? answer.events : []
    if (event === undefined) throw new Error('an event')
    const { value: told } = event.data as { value: { list: number[] } }
    told.list.push(3)
    expect(session.get('$.data.a')).toEqual({ list: [1] })
  })

  test('E1 a failed append takes back what was folded', async () => {
    const { kernel, session } = await begin()
    const full: Kernel = { ...kernel, log: failingAppend(kernel.log) }
    const writer = await new Session(full, session.id).open()
    await expect(writer.run(...set('$.data.a', 1))).rejects.toThrow('disk full')
    expect(writer.stored['data']).toBeUndefined()
    expect(await writer.run(...set('$.data.b', 1))).toMatchObject({ kind: 'accepted', seq: 2 })
  })
})

test('L8 the time of a commit never goes back, whatever the clock does', async () => {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  for (const ms of [1000, -7_200_000, 5, 315_360_000_000, -315_360_000_000]) {
    host.advance(ms)
    await session.run(...set('$.data.at', ms))
  }
  const times: string[] = []
  for await (const commit of session.commits()) times.push(commit.at)
  expect(times).toEqual([...times].sort())
})

test('a dry run decides and writes nothing', async () => {
  const { session } = await begin()
  expect(await session.run(...set('$.data.a', 1), { dryRun: true })).toMatchObject({ kind: 'accepted', seq: 2 })
  expect(session.stored['data']).toBeUndefined()
  expect(session.seq).toBe(1)
})

/** A log that lets somebody else in right before the first append. */
function beforeFirstAppend(log: Log, first: () => Promise<unknown>): Log {
  let done = false
  return wrapped(log, async (session, lines, after) => {
    if (!done) {
      done = true
      await first()
    }
    return log.append(session, lines, after, { durability: 'durable' })
  })
}

/** A log that stores the first append but says that it lost. */
function forgetFirstAppend(log: Log): Log {
  let done = false
  return wrapped(log, async (session, lines, after) => {
    const answer = await log.append(session, lines, after, { durability: 'durable' })
    if (done) return answer
    done = true
    return { kind: 'conflict' }
  })
}

function failingAppend(log: Log): Log {
  let done = false
  return wrapped(log, async (session, lines, after) => {
    if (done) return log.append(session, lines, after, { durability: 'durable' })
    done = true
    throw new Error('disk full')
  })
}

function wrapped(log: Log, append: (session: string, lines: Lines, after: Position) => ReturnType<Log['append']>): Log {
  return new Proxy(log, {
    get: (target, name) => {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

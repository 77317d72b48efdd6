import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Acquired } from './answer.ts'
import type { LockRecord } from './events.ts'

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, session: await makeWorkspace(kernel).createSession({ name: 'test' }) }
}

const record = (session: Session, resource = 'db') =>
  session.get(`$.communication.locks.resources['${resource}']`) as LockRecord | undefined
const holders = (session: Session, resource = 'db') =>
  record(session, resource)?.holders.map(({ holder }) => holder) ?? []
const queue = (session: Session, resource = 'db') => record(session, resource)?.queue.map(({ holder }) => holder) ?? []

const by = (name: string) => ({ actor: `agent:${name}` })
const acquire = (session: Session, name: string, more: object = {}) =>
  session.run('lock.acquire', { resource: 'db', wait_ms: 60_000, ...more }, by(name))

async function held(session: Session, name: string, more: object = {}): Promise<Acquired> {
  const answer = await acquire(session, name, more)
  if (answer.kind === 'refused') throw new Error(answer.message)
  return answer.value as Acquired
}

/** Where agent:a stands when it asks for something. */
type Place = 'free' | 'holds it alone' | 'shares it' | 'waits' | 'another holds it' | 'another shares it' | 'lost it'
type Command = 'acquire' | 'wait' | 'share' | 'renew' | 'release' | 'leave' | 'break' | 'check'

const arrive: Record<Place, (session: Session, advance: (ms: number) => void) => Promise<number>> = {
  free: () => Promise.resolve(1),
  'holds it alone': async (session) => (await held(session, 'a')).token ?? 0,
  'shares it': async (session) => (await held(session, 'a', { mode: 'shared' })).token ?? 0,
  waits: async (session) => {
    await held(session, 'b')
    await held(session, 'a')
    return 1
  },
  'another holds it': async (session) => (await held(session, 'b')).token ?? 0,
  'another shares it': async (session) => (await held(session, 'b', { mode: 'shared' })).token ?? 0,
  'lost it': async (session, advance) => {
    const { token = 0 } = await held(session, 'a', { ttl_ms: 1000 })
    advance(1000)
    return token
  },
}

const inputs: Record<Command, (token: number) => readonly [operation: string, input: object]> = {
  acquire: () => ['lock.acquire', {}],
  wait: () => ['lock.acquire', { wait_ms: 90_000 }],
  share: () => ['lock.acquire', { mode: 'shared' }],
  renew: (token) => ['lock.renew', { token }],
  release: (token) => ['lock.release', { token }],
  leave: () => ['lock.release', {}],
  break: () => ['lock.break', { cause: 'stuck' }],
  check: (token) => ['lock.check', { token }],
}

const idle = 'nothing to do'
const table: Record<Place, Record<Command, string>> = {
  free: {
    acquire: 'lock.granted',
    wait: 'lock.granted',
    share: 'lock.granted',
    renew: 'LEASE_LOST',
    release: 'LEASE_LOST',
    leave: idle,
    break: idle,
    check: 'LEASE_LOST',
  },
  'holds it alone': {
    acquire: 'lock.renewed',
    wait: 'lock.renewed',
    share: 'lock.renewed',
    renew: 'lock.renewed',
    release: 'lock.released',
    leave: 'lock.released',
    break: 'lock.broken',
    check: idle,
  },
  'shares it': {
    acquire: 'LEASE_HELD',
    wait: 'LEASE_HELD',
    share: 'lock.renewed',
    renew: 'lock.renewed',
    release: 'lock.released',
    leave: 'lock.released',
    break: 'lock.broken',
    check: idle,
  },
  waits: {
    acquire: 'LEASE_HELD',
    wait: 'lock.queued',
    share: 'LEASE_HELD',
    renew: 'LEASE_LOST',
    release: 'LEASE_LOST',
    leave: 'lock.wait-ended',
    break: 'lock.broken lock.granted',
    check: 'LEASE_LOST',
  },
  'another holds it': {
    acquire: 'LEASE_HELD',
    wait: 'lock.queued',
    share: 'LEASE_HELD',
    renew: 'LEASE_LOST',
    release: 'LEASE_LOST',
    leave: 'LEASE_LOST',
    break: 'lock.broken',
    check: idle,
  },
  'another shares it': {
    acquire: 'LEASE_HELD',
    wait: 'lock.queued',
    share: 'lock.granted',
    renew: 'LEASE_LOST',
    release: 'LEASE_LOST',
    leave: 'LEASE_LOST',
    break: 'lock.broken',
    check: idle,
  },
  'lost it': {
    acquire: 'lock.granted',
    wait: 'lock.granted',
    share: 'lock.granted',
    renew: 'LEASE_LOST',
    release: 'LEASE_LOST',
    leave: idle,
    break: idle,
    check: 'LEASE_LOST',
  },
}

describe('every place meets every command', () => {
  for (const [place, cells] of Object.entries(table)) {
    for (const [command, then] of Object.entries(cells)) {
      test(`${place}: ${command} → ${then}`, async () => {
        const { session, host } = await begin()
        // Keys of a total record are its key types.
        const token = await arrive[place as Place](session, host.advance)
        const [operation, input] = inputs[command as Command](token)
        const run = session.run(operation, { resource: 'db', ...input }, by('a'))
        const answer = await run.catch((error: unknown) => ({
          kind: 'refused' as const,
          ...(error as { code: string }),
        }))
        if (answer.kind === 'refused') return expect(answer.code).toBe(then)
        expect(answer.events.map(({ type }) => type).join(' ') || idle).toBe(then)
      })
    }
  }
})

test('K2 a shared request waits behind an exclusive one, and those who share stand up together', async () => {
  const { session } = await begin()
  const first = await held(session, 'a', { mode: 'shared' })
  await held(session, 'b')
  await held(session, 'c', { mode: 'shared' })
  await held(session, 'd', { mode: 'shared' })
  expect([holders(session), queue(session)]).toEqual([['agent:a'], ['agent:b', 'agent:c', 'agent:d']])
  await session.run('lock.release', { resource: 'db', token: first.token }, by('a'))
  expect(holders(session)).toEqual(['agent:b'])
  await session.run('lock.release', { resource: 'db' }, by('b'))
  expect([holders(session), queue(session)]).toEqual([['agent:c', 'agent:d'], []])
})

test('K6 who asks again is told where it stands; it is put on record when little is left of its wait', async () => {
  const { session, host } = await begin()
  await held(session, 'a', { ttl_ms: 600_000 })
  const first = await held(session, 'b', { wait_ms: 10_000 })
  const { seq } = session
  for (let i = 0; i < 50; i++) {
    host.advance(20)
    expect(await held(session, 'b', { wait_ms: 10_000 })).toEqual(first)
  }
  expect(await held(session, 'b', { wait_ms: 1000 })).toEqual(first)
  expect(session.seq).toBe(seq)
  host.advance(20)
  const later = await held(session, 'b', { wait_ms: 10_000 })
  expect(later).toEqual({ ...first, until: first.until + 1020 })
  expect(session.seq).toBe(seq + 1)
})

test('K2 who leaves the queue lets those behind it pass', async () => {
  const { session } = await begin()
  await held(session, 'a', { mode: 'shared' })
  await held(session, 'b')
  await held(session, 'c', { mode: 'shared' })
  await session.run('lock.release', { resource: 'db' }, by('b'))
  expect(holders(session)).toEqual(['agent:a', 'agent:c'])
})

test('K4 an expiry is told, and the next one granted, by any operation', async () => {
  const { session, host } = await begin()
  const first = await held(session, 'a', { ttl_ms: 1000 })
  await held(session, 'b')
  host.advance(1000)
  const { seq } = await session
    .run('state.set', { path: '$.data.x', value: 1 })
    .then((answer) => answer as { seq: number })
  expect(record(session)?.holders).toMatchObject([{ holder: 'agent:b', token: seq }])
  expect(seq).toBeGreaterThan(first.token ?? 0)
  expect(await session.run('lock.renew', { resource: 'db', token: first.token }, by('a'))).toMatchObject({
    code: 'LEASE_LOST',
  })
})

test('K5 a loop over three is refused and told whole', async () => {
  const { session } = await begin()
  for (const [name, resource] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'z'],
  ] as const)
    await held(session, name, { resource })
  await held(session, 'a', { resource: 'y' })
  await held(session, 'b', { resource: 'z' })
  const answer = await acquire(session, 'c', { resource: 'x' })
  expect(answer).toMatchObject({
    code: 'DEADLOCK',
    details: {
      loop: [
        { holder: 'agent:c', resource: 'x', blocker: 'agent:a' },
        { holder: 'agent:a', resource: 'y', blocker: 'agent:b' },
        { holder: 'agent:b', resource: 'z', blocker: 'agent:c' },
      ],
    },
  })
})

test('K5 a loop through the queue is found, too: who stands ahead is waited for', async () => {
  const { session } = await begin()
  await held(session, 'a', { resource: 'x', mode: 'shared' })
  await held(session, 'b', { resource: 'y' })
  await held(session, 'c', { resource: 'x' })
  await held(session, 'c', { resource: 'y' })
  expect(await acquire(session, 'b', { resource: 'x', mode: 'shared' })).toMatchObject({ code: 'DEADLOCK' })
})

test('K1 two activities of one actor shut each other out', async () => {
  const { session } = await begin()
  await held(session, 'a', { owner: '1' })
  expect(await acquire(session, 'a', { owner: '2', wait_ms: 0 })).toMatchObject({ code: 'LEASE_HELD' })
  expect(await held(session, 'a', { owner: '1' })).toMatchObject({ again: true })
})

test('K6 an activity inside one that holds is let in; two beside each other are not', async () => {
  const { session } = await begin()
  const outer = await held(session, 'a', { owner: '1' })
  expect(await held(session, 'a', { owner: '1.2' })).toMatchObject({ again: true, token: outer.token })
  await held(session, 'a', { owner: '1.2', resource: 'x' })
  expect(await acquire(session, 'a', { owner: '1.3', resource: 'x', wait_ms: 0 })).toMatchObject({ code: 'LEASE_HELD' })
})

test.each(['1', '1.2'])('K6 a hold has what it had left when %s asks for less', async (owner) => {
  const { host, session } = await begin()
  const { token } = await held(session, 'a', { owner: '1', ttl_ms: 60_000 })
  await held(session, 'a', { owner, ttl_ms: 1000 })
  host.advance(30_000)
  expect(await acquire(session, 'b', { wait_ms: 0 })).toMatchObject({ code: 'LEASE_HELD' })
  expect(await session.run('lock.check', { resource: 'db', token })).toMatchObject({ kind: 'accepted' })
})

test('K5 an activity waits for its inner ones: two that nest locks the other way round are told', async () => {
  const { session } = await begin()
  await held(session, 'a', { owner: '1', resource: 'x' })
  await held(session, 'a', { owner: '2', resource: 'y' })
  await held(session, 'a', { owner: '1.1', resource: 'y' })
  expect(await acquire(session, 'a', { owner: '2.1', resource: 'x' })).toMatchObject({ code: 'DEADLOCK' })
})

test('names that would reach the prototype are refused', async () => {
  const { session } = await begin()
  for (const resource of ['__proto__', 'constructor', 'prototype'])
    expect(await acquire(session, 'a', { resource })).toMatchObject({ code: 'INPUT_INVALID' })
})

test('K7 breaking names who, why and the token, and makes the token worthless', async () => {
  const { session } = await begin()
  const { token } = await held(session, 'a')
  const answer = await session.run(
    'lock.break',
    { resource: 'db', cause: 'holder-gone', note: 'crashed' },
    { actor: 'human:ana' },
  )
  expect(answer).toMatchObject({
    events: [{ data: { holder: 'agent:a', token, cause: 'holder-gone', by: 'human:ana', note: 'crashed' } }],
  })
  expect(await session.run('lock.release', { resource: 'db', token }, by('a'))).toMatchObject({ code: 'LEASE_LOST' })
})

import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import type { Message, MessagesSlice, Received } from './events.ts'
import type { MessageRow } from './views.ts'

const by = (name: string) => ({ actor: `agent:${name}` })
const slice = (session: Session) => session.get('$.communication.messages') as MessagesSlice

function valueOf<T>(answer: Answer): T {
  if (answer.kind === 'refused') throw new Error(`${answer.code}: ${answer.message}`)
  // The operation's own answer.
  return answer.value as T
}

async function send(session: Session, more: object = {}, from = 'lead'): Promise<string> {
  const input = { to: ['a'], payload: 'hello', max_deliveries: 2, ...more }
  return valueOf<Message>(await session.run('message.send', input, by(from))).id
}

const receive = async (session: Session, name = 'a', more: object = {}): Promise<readonly Received[]> =>
  valueOf(await session.run('message.receive', { lease_ms: 1000, ...more }, by(name)))

const rows = async (session: Session, input: object = {}): Promise<readonly MessageRow[]> =>
  valueOf(await session.run('message.list', input))

type Place = 'absent' | 'ready' | 'leased' | 'over' | 'again' | 'acknowledged' | 'dead' | 'expired'
type Command = 'receive' | 'ack' | 'answer' | 'renew' | 'return' | 'reject' | 'revive' | 'drop'

interface Arrived {
  readonly id: string
  readonly token: number
}

async function leased(session: Session): Promise<Arrived> {
  const id = await send(session)
  const [got] = await receive(session)
  return { id, token: got?.token ?? 0 }
}

/** How a message gets there; the answer has the token of the first lease. */
const arrive: Record<Place, (session: Session, advance: (ms: number) => void) => Promise<Arrived>> = {
  absent: async (session) => {
    await send(session)
    return { id: 'no-such', token: 1 }
  },
  ready: async (session) => ({ id: await send(session), token: 1 }),
  leased,
  over: async (session, advance) => {
    const arrived = await leased(session)
    advance(1000)
    return arrived
  },
  again: async (session, advance) => {
    const arrived = await leased(session)
    advance(1000)
    await receive(session)
    return arrived
  },
  acknowledged: async (session) => {
    const arrived = await leased(session)
    await session.run('message.ack', arrived, by('a'))
    return arrived
  },
  dead: async (session) => {
    const arrived = await leased(session)
    await session.run('message.return', { ...arrived, reject: true }, by('a'))
    return arrived
  },
  expired: async (session, advance) => {
    const id = await send(session, { ttl_ms: 500 })
    advance(500)
    return { id, token: 1 }
  },
}

const inputs: Record<Command, (arrived: Arrived) => readonly [operation: string, input: object]> = {
  receive: () => ['message.receive', {}],
  ack: (arrived) => ['message.ack', arrived],
  answer: ({ id }) => ['message.answer', { id, payload: 'yes' }],
  renew: (arrived) => ['message.renew', arrived],
  return: (arrived) => ['message.return', arrived],
  reject: (arrived) => ['message.return', { ...arrived, reject: true }],
  revive: ({ id }) => ['message.revive', { id, agent: 'a' }],
  drop: ({ id }) => ['message.drop', { id, agent: 'a' }],
}

const idle = 'nothing to do'
const stale = {
  ack: 'LEASE_LOST',
  answer: 'NOT_FOUND',
  renew: 'LEASE_LOST',
  return: 'LEASE_LOST',
  reject: 'LEASE_LOST',
  revive: 'NOT_FOUND',
  drop: 'NOT_FOUND',
}
const whole = 'message.delivered message.acknowledged message.sent'
const table: Record<Place, Record<Command, string>> = {
  absent: { ...stale, receive: 'message.delivered' },
  ready: { ...stale, receive: 'message.delivered', answer: whole },
  leased: {
    ...stale,
    receive: idle,
    ack: 'message.acknowledged',
    answer: 'message.acknowledged message.sent',
    renew: 'message.renewed',
    return: 'message.returned',
    reject: 'message.died',
  },
  over: { ...stale, receive: 'message.delivered', answer: whole },
  again: { ...stale, receive: idle, answer: 'message.acknowledged message.sent' },
  acknowledged: { ...stale, receive: idle },
  dead: { ...stale, receive: idle, revive: 'message.revived', drop: 'message.dropped' },
  expired: { ...stale, receive: idle },
}

describe('every place meets every command', () => {
  for (const [place, cells] of Object.entries(table)) {
    for (const [command, then] of Object.entries(cells)) {
      test(`${place}: ${command} → ${then}`, async () => {
        const { session, host } = await begin()
        // Keys of a total record are its key types.
        const arrived = await arrive[place as Place](session, host.advance)
        const [operation, input] = inputs[command as Command](arrived)
        const answer = await session.run(operation, input, by('a'))
        if (answer.kind === 'refused') expect(answer.code).toBe(then)
        else expect(answer.events.map(({ type }) => type).join(' ') || idle).toBe(then)
      })
    }
  }
})

test('M1 ids that begin like another one share nothing', async () => {
  const { session } = await begin()
  for (const to of ['a', 'ab', 'abc', 'a-b', 'agent:abc']) await send(session, { to: [to], payload: to })
  const got = async (name: string) => (await receive(session, name, { max: 9 })).map(({ payload }) => payload)
  expect([await got('a'), await got('ab'), await got('abc'), await got('a-b')]).toEqual([
    ['a'],
    ['ab'],
    ['abc', 'agent:abc'],
    ['a-b'],
  ])
  expect(await got('b')).toEqual([])
})

test('M1 names that would reach the prototype are refused, and odd ones are names like others', async () => {
  const { session } = await begin()
  for (const to of ['__proto__', 'agent:constructor', 'prototype', 'a b', ''])
    expect(await session.run('message.send', { to: [to] })).toMatchObject({ code: 'INPUT_INVALID' })
  await send(session, { to: ['toString', 'hasOwnProperty', '0'] })
  expect(await receive(session, 'toString')).toHaveLength(1)
  expect(await receive(session, 'valueOf')).toEqual([])
})

test('M4 a message comes again in its old place, and is dead after max_deliveries', async () => {
  const { session, host } = await begin()
  const first = await send(session)
  const second = await send(session)
  expect((await receive(session)).map(({ id, attempt }) => [id, attempt])).toEqual([[first, 1]])
  host.advance(1000)
  expect((await receive(session)).map(({ id, attempt }) => [id, attempt])).toEqual([[first, 2]])
  host.advance(1000)
  // Nobody has told it yet.
  expect(await rows(session, { status: 'dead' })).toMatchObject([{ id: first, attempts: 2, cause: 'deliveries' }])
  expect((await receive(session)).map(({ id }) => id)).toEqual([second])
  expect(await rows(session, { status: 'dead' })).toMatchObject([{ id: first, attempts: 2, cause: 'deliveries' }])
  await session.run('message.revive', { id: first, agent: 'a' })
  expect((await receive(session)).map(({ id, attempt }) => [id, attempt])).toEqual([[first, 1]])
})

test('M4 who gives back uses up a delivery, too', async () => {
  const { session } = await begin()
  await send(session)
  for (const then of [['message.returned'], ['message.returned', 'message.died']]) {
    const [got] = await receive(session)
    const answer = await session.run('message.return', { id: got?.id, token: got?.token }, by('a'))
    expect(answer.kind === 'accepted' && answer.events.map(({ type }) => type)).toEqual(then)
  }
})

test('M5 by priority, then by time', async () => {
  const { session } = await begin()
  for (const priority of ['low', 'normal', 'critical', 'high', 'low', 'critical'])
    await send(session, { priority, payload: priority })
  const got = await receive(session, 'a', { max: 9 })
  expect(got.map(({ payload }) => payload)).toEqual(['critical', 'critical', 'high', 'normal', 'low', 'low'])
  expect(got[0]?.timestamp.localeCompare(got[1]?.timestamp ?? '')).toBeLessThanOrEqual(0)
})

test('M5 while an emergency is open an inbox gives nothing else', async () => {
  const { session } = await begin()
  await send(session, { priority: 'critical', payload: 'usual' })
  await send(session, { to: ['b'], payload: 'elsewhere' })
  await send(session, { channel: 'emergency', to: ['a'], payload: 'stop' })
  const [stop, ...more] = await receive(session, 'a', { max: 9 })
  expect([stop?.payload, stop?.type, stop?.priority, more]).toEqual(['stop', 'alert', 'critical', []])
  expect(await receive(session)).toEqual([])
  expect(await receive(session, 'b')).toHaveLength(1)
  await session.run('message.ack', { id: stop?.id, token: stop?.token }, by('a'))
  expect((await receive(session)).map(({ payload }) => payload)).toEqual(['usual'])
})

test('M6 a ttl counts from sending, and does not take a message from who works on it', async () => {
  const { session, host } = await begin()
  const id = await send(session, { ttl_ms: 1500 })
  const [got] = await receive(session, 'a', { lease_ms: 2000 })
  host.advance(1900)
  expect(await rows(session)).toMatchObject([{ status: 'leased' }])
  expect(await session.run('message.ack', { id, token: got?.token }, by('a'))).toMatchObject({ kind: 'accepted' })
  await send(session, { ttl_ms: 1500 })
  await receive(session, 'a', { lease_ms: 2000 })
  host.advance(2000)
  expect(await receive(session)).toEqual([])
  await session.run('state.set', { path: '$.data.x', value: 1 })
  expect(slice(session)).toMatchObject({ messages: {}, deadlines: { size: 0 } })
})

test('M2 a broadcast is kept once, and goes when everybody has acknowledged', async () => {
  const { session } = await begin()
  await send(session, { to: ['a', 'b', 'lead'] })
  for (const name of ['a', 'b', 'lead'])
    for (const { id, token } of await receive(session, name)) await session.run('message.ack', { id, token }, by(name))
  const id = await send(session, { to: [], channel: 'broadcast' })
  expect(slice(session).messages[id]).toMatchObject({ to: ['a', 'b'], refs: 2, type: 'alert' })
  for (const name of ['a', 'b']) {
    expect(Object.keys(slice(session).messages)).toEqual([id])
    const [got] = await receive(session, name)
    await session.run('message.ack', { id, token: got?.token }, by(name))
  }
  expect(slice(session).messages).toEqual({})
})

test('a broadcast goes to the agents that are registered', async () => {
  const { session } = await begin()
  await send(session, { to: ['gone'] })
  for (const id of ['x', 'y']) await session.run('agent.register', { agent: id, type: 'worker' })
  const answer = await session.run('message.send', { channel: 'broadcast' }, by('x'))
  expect(valueOf<Message>(answer).to).toEqual(['y'])
})

test('a message without anybody is refused', async () => {
  const { session } = await begin()
  expect(await session.run('message.send', { payload: 'x' })).toMatchObject({ code: 'INPUT_INVALID' })
  expect(await session.run('message.send', { channel: 'broadcast' })).toMatchObject({ code: 'NOT_FOUND' })
})

test('what answers carries what it answers to, and can be found by it', async () => {
  const { session } = await begin()
  const question = await send(session)
  const answer = await send(session, { to: ['lead'], correlation_id: question }, 'a')
  expect(await rows(session, { correlation_id: question })).toMatchObject([
    { id: answer, agent: 'lead', type: 'answer' },
  ])
})

test('L7 a key gives the same messages again', async () => {
  const { session } = await begin()
  await send(session)
  const ask = () => session.run('message.receive', {}, { ...by('a'), key: 'k' })
  expect(valueOf(await ask())).toEqual(valueOf(await ask()))
})

test('who asks for a message that it does not have is told what is known of it', async () => {
  const { session } = await begin()
  const several = await send(session, { to: ['a', 'b'] })
  const alone = await send(session, { to: ['a'] })
  const dead = await send(session, { to: ['a'] })
  const got = await receive(session, 'a', { max: 3 })
  const token = got[0]?.token ?? 0
  for (const id of [several, alone]) await session.run('message.ack', { id, token }, by('a'))
  await session.run('message.return', { id: dead, token, reject: true }, by('a'))
  await send(session, { to: ['c'] })
  const ack = async (id: string, name: string) => {
    const answer = await session.run('message.ack', { id, token }, by(name))
    return answer.kind === 'refused' ? [answer.code, answer.message] : 'accepted'
  }
  expect(await ack(several, 'a')).toEqual(['LEASE_LOST', expect.stringMatching(/: it is settled$/)])
  expect(await ack(dead, 'a')).toEqual(['LEASE_LOST', expect.stringMatching(/: it is a dead letter$/)])
  expect(await ack(several, 'c')).toEqual(['NOT_FOUND', `message ${several} was not sent to c`])
  // What everybody has settled is forgotten, and is not told from what never was.
  for (const id of [alone, 'nosuch'])
    expect(await ack(id, 'a')).toEqual([
      'LEASE_LOST',
      `message ${id} is not in the inbox of a: it was settled, or never sent to it`,
    ])
  expect(await ack('nosuch', 'z')).toEqual(['NOT_FOUND', 'z has had no messages'])
})

import { describe, expect, test } from 'vitest'
import { begin, type Place } from '../../../test/turns/place.ts'
import type { SeatState } from './events.ts'

/** Where agent `a` stands; `b` sits beside it, and `boss` may interrupt. */
type From = SeatState | 'absent'
type Command =
  | 'join'
  | 'leave'
  | 'leave and keep'
  | 'start'
  | 'start it'
  | 'take'
  | 'take from it'
  | 'end'
  | 'skip'
  | 'extend'
  | 'pause'
  | 'resume'
  | 'say'
  | 'say and end'
  | 'hear a person'
  | 'time'
  | 'poll'
  | 'lose it'
  | 'time and recover'

const of = (agent?: string) => ({ channel: 'room', ...(agent === undefined ? {} : { agent }) })

const arrive: Record<From, (place: Place) => Promise<unknown>> = {
  absent: (place) => place.done('turn.leave', of('a')),
  OFFLINE: (place) => place.done('turn.leave', { ...of('a'), keep: true }),
  IDLE: () => Promise.resolve(),
  QUEUED: (place) => place.done('turn.start', of('b')),
  ACTIVE: (place) => place.done('turn.start', of('a')),
  WAITING: async (place) => {
    await place.done('turn.start', of('a'))
    await place.done('turn.pause', of())
  },
}

const commands: Record<Command, (place: Place) => Promise<string>> = {
  join: (place) => place.run('turn.join', of(), 'agent:a'),
  leave: (place) => place.run('turn.leave', of(), 'agent:a'),
  'leave and keep': (place) => place.run('turn.leave', { ...of(), keep: true }, 'agent:a'),
  start: (place) => place.run('turn.start', of()),
  'start it': (place) => place.run('turn.start', of('a')),
  take: (place) => place.run('turn.take', of(), 'agent:a'),
  'take from it': (place) => place.run('turn.take', of(), 'agent:boss'),
  end: (place) => place.run('turn.end', of(), 'agent:a'),
  skip: (place) => place.run('turn.skip', of('a')),
  extend: (place) => place.run('turn.extend', of(), 'agent:a'),
  pause: (place) => place.run('turn.pause', of()),
  resume: (place) => place.run('turn.resume', of()),
  say: (place) => place.say('a', 'hello'),
  'say and end': (place) => place.say('a', 'hello TURN_COMPLETE'),
  'hear a person': (place) => place.say('human:ana', 'go on'),
  time: async (place) => {
    place.host.advance(60_001)
    return place.run('turn.poll', { agent: 'nobody' })
  },
  poll: (place) => place.run('turn.poll', {}, 'agent:a'),
  'lose it': async (place) => {
    await place.done('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
    place.host.advance(1001)
    return place.run('session.recover', {})
  },
  'time and recover': async (place) => {
    place.host.advance(60_001)
    return place.run('session.recover', {})
  },
}

/** What comes of it, and where `a` stands then. */
const table: Record<From, Record<Command, readonly [events: string, to: From]>> = {
  absent: {
    join: ['joined', 'IDLE'],
    leave: ['', 'absent'],
    'leave and keep': ['', 'absent'],
    start: ['started', 'absent'],
    'start it': ['NOT_FOUND', 'absent'],
    take: ['NOT_FOUND', 'absent'],
    'take from it': ['started', 'absent'],
    end: ['NOT_FOUND', 'absent'],
    skip: ['TURN_STATUS_INVALID', 'absent'],
    extend: ['NOT_FOUND', 'absent'],
    pause: ['held', 'absent'],
    resume: ['', 'absent'],
    say: ['NOT_FOUND', 'absent'],
    'say and end': ['NOT_FOUND', 'absent'],
    'hear a person': ['said started', 'absent'],
    time: ['', 'absent'],
    poll: ['', 'absent'],
    'lose it': ['', 'absent'],
    'time and recover': ['', 'absent'],
  },
  OFFLINE: {
    join: ['came-back', 'IDLE'],
    leave: ['left', 'absent'],
    'leave and keep': ['', 'OFFLINE'],
    start: ['started', 'OFFLINE'],
    'start it': ['TURN_STATUS_INVALID', 'OFFLINE'],
    take: ['TURN_STATUS_INVALID', 'OFFLINE'],
    'take from it': ['started', 'OFFLINE'],
    end: ['TURN_STATUS_INVALID', 'OFFLINE'],
    skip: ['TURN_STATUS_INVALID', 'OFFLINE'],
    extend: ['TURN_STATUS_INVALID', 'OFFLINE'],
    pause: ['held', 'OFFLINE'],
    resume: ['', 'OFFLINE'],
    say: ['TURN_STATUS_INVALID', 'OFFLINE'],
    'say and end': ['TURN_STATUS_INVALID', 'OFFLINE'],
    'hear a person': ['said started', 'OFFLINE'],
    time: ['', 'OFFLINE'],
    poll: ['came-back', 'IDLE'],
    'lose it': ['', 'OFFLINE'],
    'time and recover': ['', 'OFFLINE'],
  },
  IDLE: {
    join: ['', 'IDLE'],
    leave: ['left', 'absent'],
    'leave and keep': ['went-offline', 'OFFLINE'],
    start: ['started', 'ACTIVE'],
    'start it': ['started', 'ACTIVE'],
    take: ['started', 'ACTIVE'],
    'take from it': ['started', 'QUEUED'],
    end: ['TURN_STATUS_INVALID', 'IDLE'],
    skip: ['TURN_STATUS_INVALID', 'IDLE'],
    extend: ['TURN_STATUS_INVALID', 'IDLE'],
    pause: ['held', 'IDLE'],
    resume: ['', 'IDLE'],
    say: ['TURN_STATUS_INVALID', 'IDLE'],
    'say and end': ['TURN_STATUS_INVALID', 'IDLE'],
    'hear a person': ['said started', 'ACTIVE'],
    time: ['', 'IDLE'],
    poll: ['', 'IDLE'],
    'lose it': ['went-offline', 'OFFLINE'],
    'time and recover': ['', 'IDLE'],
  },
  QUEUED: {
    join: ['', 'QUEUED'],
    leave: ['left', 'absent'],
    'leave and keep': ['went-offline', 'OFFLINE'],
    start: ['LEASE_HELD', 'QUEUED'],
    'start it': ['LEASE_HELD', 'QUEUED'],
    take: ['LEASE_HELD', 'QUEUED'],
    'take from it': ['ended started', 'QUEUED'],
    end: ['LEASE_HELD', 'QUEUED'],
    skip: ['LEASE_HELD', 'QUEUED'],
    extend: ['LEASE_HELD', 'QUEUED'],
    pause: ['held', 'QUEUED'],
    resume: ['', 'QUEUED'],
    say: ['LEASE_HELD', 'QUEUED'],
    'say and end': ['LEASE_HELD', 'QUEUED'],
    'hear a person': ['said', 'QUEUED'],
    // `b` was given its turn out of order: the first in line is still `a`.
    time: ['clock-read', 'ACTIVE'],
    poll: ['', 'QUEUED'],
    'lose it': ['went-offline', 'OFFLINE'],
    'time and recover': ['ended started', 'ACTIVE'],
  },
  ACTIVE: {
    join: ['', 'ACTIVE'],
    leave: ['ended left started', 'absent'],
    'leave and keep': ['ended went-offline started', 'OFFLINE'],
    start: ['LEASE_HELD', 'ACTIVE'],
    'start it': ['LEASE_HELD', 'ACTIVE'],
    take: ['', 'ACTIVE'],
    'take from it': ['ended started', 'QUEUED'],
    end: ['ended started', 'QUEUED'],
    skip: ['ended started', 'QUEUED'],
    extend: ['extended', 'ACTIVE'],
    pause: ['held', 'WAITING'],
    resume: ['', 'ACTIVE'],
    say: ['said', 'ACTIVE'],
    'say and end': ['said ended started', 'QUEUED'],
    'hear a person': ['said', 'ACTIVE'],
    time: ['clock-read', 'QUEUED'],
    poll: ['taken', 'ACTIVE'],
    'lose it': ['ended went-offline started', 'OFFLINE'],
    'time and recover': ['ended started', 'QUEUED'],
  },
  WAITING: {
    join: ['', 'WAITING'],
    leave: ['ended left', 'absent'],
    'leave and keep': ['ended went-offline', 'OFFLINE'],
    start: ['LEASE_HELD', 'WAITING'],
    'start it': ['LEASE_HELD', 'WAITING'],
    take: ['LEASE_HELD', 'WAITING'],
    'take from it': ['LEASE_HELD', 'WAITING'],
    end: ['ended', 'QUEUED'],
    skip: ['ended', 'QUEUED'],
    extend: ['LEASE_HELD', 'WAITING'],
    pause: ['', 'WAITING'],
    resume: ['resumed', 'ACTIVE'],
    say: ['LEASE_HELD', 'WAITING'],
    'say and end': ['LEASE_HELD', 'WAITING'],
    'hear a person': ['said', 'WAITING'],
    time: ['', 'WAITING'],
    poll: ['', 'WAITING'],
    'lose it': ['ended went-offline', 'OFFLINE'],
    'time and recover': ['', 'WAITING'],
  },
}

describe('every state meets every command', () => {
  for (const [from, cells] of Object.entries(table) as [From, (typeof table)[From]][]) {
    test.each(Object.entries(cells) as [Command, readonly [string, From]][])(
      `${from}: %s`,
      async (command, [said, to]) => {
        const place = await begin({}, 'a', 'b')
        await place.done('turn.join', { ...of('boss'), can_interrupt: true })
        await arrive[from](place)
        expect(place.state('a')).toBe(from)
        expect(await commands[command](place)).toBe(said)
        expect(place.state('a')).toBe(to)
      },
    )
  }
})

import { describe, expect, test } from 'vitest'
import { begin, type Place } from '../../../test/turns/place.ts'
import type { Ended, TurnEvent } from './events.ts'

const DONE = 'TURN_COMPLETE'

/** How turns ended, in order. */
async function endings({ session }: Place): Promise<readonly Ended[]> {
  const found: Ended[] = []
  for await (const { events } of session.commits({ after: 0, live: false }))
    for (const event of events as readonly TurnEvent[]) if (event.type === 'turn.ended') found.push(event.data)
  return found
}

/** `a` has had the turn for a minute; `off`, who comes next, is not there; `b` is. */
async function overdue(arrange: (place: Place) => Promise<unknown> = async () => undefined) {
  const place = await begin({}, 'a', 'off', 'b')
  await place.done('turn.leave', { channel: 'room', agent: 'off', keep: true })
  await place.done('turn.start', { channel: 'room', agent: 'a' })
  const { token = 0, deadline = 0 } = place.room().turn ?? {}
  await arrange(place)
  place.host.advance(60_001)
  return { place, token, at: new Date(deadline).toISOString() }
}

const register = (place: Place) => place.done('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
const recover = (place: Place) => place.run('session.recover', {})

interface Case {
  readonly arrange?: (place: Place) => Promise<unknown>
  readonly tell: (place: Place) => Promise<unknown>
  readonly reason: 'timeout' | 'recovery'
}

describe('T7 a turn that is over ends at its deadline, for the reason that the operation gives that tells it', () => {
  const cases: Record<string, Case> = {
    'somebody looks': { tell: ({ run }) => run('turn.poll', { agent: 'b' }), reason: 'timeout' },
    'a person speaks': { tell: ({ say }) => say('human:ana', 'hello?'), reason: 'timeout' },
    'its own agent speaks': { tell: ({ say }) => say('a', 'late'), reason: 'timeout' },
    'something else is written': { tell: ({ run }) => run('output.set', { name: 'x', value: '1' }), reason: 'timeout' },
    'somebody recovers': { tell: recover, reason: 'recovery' },
    'its agent is lost as well, and somebody recovers': { arrange: register, tell: recover, reason: 'recovery' },
  }
  test.each(Object.entries(cases))('%s', async (_, { arrange, tell, reason }) => {
    const { place, token, at } = await overdue(arrange)
    await tell(place)
    expect(await endings(place)).toMatchObject([{ agent: 'a', token, reason, at }])
    expect([place.active(), place.state('off'), place.room().queue]).toEqual(['b', 'OFFLINE', ['a', 'off', 'b']])
  })
})

test('T6 what is said after recovery ended the turn is late as well', async () => {
  const { place, token } = await overdue()
  await recover(place)
  expect(await place.say('a', `at last ${DONE}`, { token })).toBe('said')
  expect(await place.messages()).toMatchObject([{ text: 'at last', late: true, turn: token }])
  expect(place.active()).toBe('b')
})

test('T7 an interruption that is over ends before the turn does, and recovery leaves alone what is not over', async () => {
  const place = await begin({ human: 'interrupt', interrupt_ms: 1000 }, 'a', 'b')
  await place.done('turn.start', { channel: 'room' })
  expect(await recover(place)).toBe('')
  await place.say('human:ana', 'stop')
  place.host.advance(1001)
  expect(await recover(place)).toBe('resumed')
  place.host.advance(60_000)
  expect(await recover(place)).toBe('ended started')
  expect(await endings(place)).toMatchObject([{ agent: 'a', reason: 'recovery' }])
})

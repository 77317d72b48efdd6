/* T1 to T9 on stories of any shape; each is looked at after every operation. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin, type Place } from '../../../test/turns/place.ts'
import { after } from './channel.ts'
import type { Channel, ChannelConfig, ChannelEvent, Ended, TurnEvent } from './events.ts'
import { TRANSITIONS } from './transitions.ts'

type Step = readonly [operation: string, input: object, actor: string, wait: number]

const AGENTS = ['a', 'b', 'c'] as const
const agent = fc.constantFrom(...AGENTS)
const of = (more: object) => ({ channel: 'room', ...more })
const ANA = fc.constant('human:ana')
const asAgent = agent.map((each) => `agent:${each}`)
const join = fc.record({
  channel: fc.constant('room'),
  agent,
  position: fc.constantFrom(undefined, 'start', 'end', 1, 2, 9),
  can_interrupt: fc.boolean(),
  triggers: fc.constantFrom(undefined, [], ['one', 'so']),
})
const leave = fc.record({ channel: fc.constant('room'), agent, keep: fc.boolean() })
const says = fc
  .constantFrom('one', 'two', 'done TURN_COMPLETE', 'so TURN_COMPLETE', 'TURN_COMPLETE')
  .map((text) => of({ text }))
const lease = agent.map((each) => ({ agent: each, type: 'worker', ttl_ms: 20_000 }))
const operation = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('turn.say'), says, asAgent) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('turn.say'), says, fc.constantFrom('human:ana', 'tool:ci')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('turn.start'), fc.constant(of({})), ANA) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('turn.skip', 'turn.pause', 'turn.resume'), fc.constant(of({})), ANA),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom('turn.take', 'turn.end', 'turn.extend', 'turn.poll'),
      fc.constant(of({})),
      asAgent,
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('turn.join'), join, ANA) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('turn.leave'), leave, ANA) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('agent.register'), lease, ANA) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('session.recover'), fc.constant({}), fc.constant('tool:recover')) },
)
const step: fc.Arbitrary<Step> = fc
  .tuple(operation, fc.constantFrom(0, 0, 0, 0, 0, 1, 30_000, 60_001, 200_000))
  .map(([[name, input, actor], wait]) => [name, input, actor, wait])
const settings: fc.Arbitrary<Partial<ChannelConfig>> = fc.record({
  order: fc.constantFrom('round-robin', 'round-robin', 'priority', 'manual'),
  human: fc.constantFrom('inject', 'queue', 'interrupt', 'parallel'),
  max_turns: fc.constantFrom(0, 4, 50),
})

interface Seen {
  readonly before: Channel
  readonly now: Channel
  readonly events: readonly TurnEvent[]
  readonly step: Step
  readonly kind: 'accepted' | 'refused'
}

/** Tells a story and shows each commit to `look`. */
async function told(
  story: readonly Step[],
  [config, agents]: readonly [Partial<ChannelConfig>, readonly string[]],
  look: (seen: Seen, place: Place) => void,
) {
  const place = await begin(config, ...agents)
  for (const each of story) {
    const [name, input, actor, wait] = each
    const before = structuredClone(place.room())
    const { seq } = place.session
    place.host.advance(wait)
    const { kind } = await place.session.run(name, input, { actor })
    const events: TurnEvent[] = []
    // The events of this module's own operations.
    for await (const commit of place.session.commits({ after: seq, live: false }))
      events.push(...(commit.events.filter(({ type }) => type.startsWith('turn.')) as TurnEvent[]))
    look({ before, now: place.room(), events, step: each, kind }, place)
  }
}

const holds = (look: (seen: Seen, place: Place) => void, runs = 60) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      settings,
      fc.subarray([...AGENTS], { minLength: 1 }),
      (story, config, agents) => told(story, [config, agents], look),
    ),
    { numRuns: runs },
  )

const endedIn = (events: readonly TurnEvent[]): readonly Ended[] =>
  events.flatMap((event) => (event.type === 'turn.ended' ? [event.data] : []))

test('T1 at most one has the turn, and only who has it is ACTIVE or WAITING', () =>
  holds(({ now }) => {
    const { turn, hold, seats, queue } = now
    const speaking = Object.values(seats).filter(({ state }) => state === 'ACTIVE' || state === 'WAITING')
    expect(speaking.map((seat) => seat.agent)).toEqual(turn === null ? [] : [turn.agent])
    for (const { state } of speaking) expect(state).toBe(hold === null ? 'ACTIVE' : 'WAITING')
    expect([...queue].toSorted()).toEqual(Object.keys(seats).toSorted())
    // Nobody waits for a turn that never comes.
    if (turn === null && hold === null) expect(Object.values(seats).map(({ state }) => state)).not.toContain('QUEUED')
  }))

test('T2 a turn that began ends exactly once, by one event, under its own token', () => {
  const open = new Map<string, string>()
  return holds(({ events, before }) => {
    if (before.spent.turns === 0) open.clear()
    for (const { type, data } of events) {
      if (type === 'turn.started') {
        expect(open.has(data.channel)).toBe(false)
        open.set(data.channel, `${data.agent} ${data.token}`)
      }
      if (type === 'turn.ended') {
        expect(open.get(data.channel)).toBe(`${data.agent} ${data.token}`)
        open.delete(data.channel)
      }
    }
  })
})

test('T3 who stays keeps the order of the queue, unless it is moved', () =>
  holds(({ before, now, events }) => {
    const moved = new Set(
      events.flatMap(({ type, data }) => (type === 'turn.moved' || type === 'turn.left' ? [data.agent] : [])),
    )
    const stay = before.queue.filter((each) => !moved.has(each))
    expect(now.queue.filter((each) => stay.includes(each))).toEqual(stay)
  }))

test('T3 in a round everybody who is there gets a turn, in the order of the queue', () =>
  fc.assert(
    fc.asyncProperty(fc.subarray([...AGENTS], { minLength: 2 }), fc.nat(3), async (away, rounds) => {
      const place = await begin({ max_turns: 0 }, ...AGENTS)
      const there = AGENTS.filter((each) => away.length === AGENTS.length || !away.includes(each))
      for (const each of AGENTS)
        if (!there.includes(each)) await place.done('turn.leave', of({ agent: each, keep: true }))
      if (there.length < 2) return
      await place.done('turn.start', of({}))
      const served: (string | null)[] = []
      for (let i = 0; i < there.length * (rounds + 1); i++) {
        served.push(place.active())
        await place.say(place.active() ?? '', `${i} TURN_COMPLETE`)
      }
      expect(served).toEqual(Array.from({ length: rounds + 1 }, () => there).flat())
      expect(place.room().queue).toEqual([...AGENTS])
    }),
    { numRuns: 50 },
  ))

test('T3 who is OFFLINE never gets the turn', () =>
  holds(({ events, before }) => {
    const state = new Map(Object.values(before.seats).map((seat) => [seat.agent, seat.state === 'OFFLINE']))
    for (const { type, data } of events) {
      if (type === 'turn.went-offline') state.set(data.agent, true)
      if (type === 'turn.came-back' || type === 'turn.joined') state.set(data.agent, false)
      if (type === 'turn.started') expect(state.get(data.agent)).toBe(false)
    }
  }))

test('T5 nobody gives the turn to itself: a person spoke, another asked for it, or it took it from nobody', () =>
  holds(({ events, step: [name] }) => {
    events.forEach((event, i) => {
      if (event.type !== 'turn.started') return
      const ended = events.slice(0, i).findLast(({ type }) => type === 'turn.ended')
      if (ended?.type !== 'turn.ended' || ended.data.agent !== event.data.agent) return
      const between = events.slice(events.indexOf(ended), i).map(({ type }) => type)
      const asked = ['turn.start', 'turn.take', 'turn.resume'].includes(name)
      const spoken = between.includes('turn.posted') || between.includes('turn.said')
      expect(asked || spoken, `${name}: ${events.map(({ type }) => type).join(' ')}`).toBe(true)
    })
  }))

test('T3 nobody is left with a turn who went from the session', () =>
  holds(({ now, events, step: [name] }, { session }) => {
    const active = session.get('$.execution.agents.active') ?? {}
    const gone = (session.get('$.execution.agents.gone') ?? []) as readonly {
      readonly id: string
      readonly at: string
    }[]
    if (name !== 'session.recover' || events.length === 0) return
    const lost = gone.filter(({ id }) => !Object.hasOwn(active, id))
    for (const { id, at } of lost)
      if (now.turn?.agent === id)
        expect(at < now.turn.started_at || at < (now.seats[id]?.last_activity ?? '')).toBe(true)
  }))

test('T6 what is late never ends a turn or gives one', () =>
  holds(({ events }) => {
    const late = events.findIndex((event) => event.type === 'turn.said' && event.data.late)
    if (late < 0) return
    const behind = events.slice(late).map(({ type }) => type)
    expect(behind).not.toContain('turn.ended')
    expect(behind).not.toContain('turn.started')
  }))

test('T7 no turn outlives its deadline by an accepted operation, and a timeout ends at it', () =>
  holds(({ now, events, before }, place) => {
    if (events.length > 0 && now.turn !== null && now.hold === null)
      expect(place.host.now()).toBeLessThanOrEqual(now.turn.deadline)
    for (const { reason, at, token } of endedIn(events))
      if (reason === 'timeout' && before.turn?.token === token && before.hold === null)
        expect(Date.parse(at)).toBe(before.turn.deadline)
  }))

test('T8 a message never moves the deadline of the turn it is said in', () =>
  holds(({ before, now, step: [name] }) => {
    const same = before.turn !== null && before.turn.token === now.turn?.token && before.turn.agent === now.turn.agent
    if (name === 'turn.say' && same && before.hold === null && now.hold === null)
      expect(now.turn?.deadline).toBe(before.turn?.deadline)
  }))

test('T9 no more turns follow each other than the limit allows without a person', () =>
  holds(({ now }) => {
    const { max_turns } = now.config
    if (max_turns !== null) expect(now.guard.turns).toBeLessThanOrEqual(max_turns)
  }))

test('every change of state stands in the table', () =>
  holds(({ events, before }) => {
    // Event by event: one commit may do several things.
    let last = before
    for (const event of events) {
      if (!('channel' in event.data) || event.type === 'turn.channel-created') continue
      // Narrowed by the two checks.
      const next = after(last, [event as ChannelEvent], { at: '', seq: 0 })
      for (const { agent: each, state } of Object.values(next.seats)) {
        const from = last.seats[each]?.state
        if (from !== undefined && from !== state)
          expect(TRANSITIONS[from][state], `${from} to ${state} by ${event.type}`).toBeTypeOf('string')
      }
      last = next
    }
  }))

import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/turns/place.ts'

const DONE = 'TURN_COMPLETE'

describe('turns', () => {
  test('T4 the signal ends the turn and is cut off; alone it posts nothing', async () => {
    const place = await begin({}, 'pm', 'dev')
    await place.done('turn.start', { channel: 'room' })
    expect(await place.say('pm', `a plan\n\n**${DONE}**`)).toBe('said ended started')
    expect(await place.say('dev', DONE)).toBe('ended started')
    expect((await place.messages()).map(({ author, text }) => [author, text])).toEqual([['agent:pm', 'a plan']])
    expect(place.active()).toBe('pm')
  })

  test('T1 who has not the turn is refused and told who has it', async () => {
    const { session, done } = await begin({}, 'pm', 'dev')
    await done('turn.start', { channel: 'room' })
    const answer = await session.run('turn.say', { channel: 'room', text: 'me!' }, { actor: 'agent:dev' })
    expect(answer).toMatchObject({ code: 'LEASE_HELD', details: { turn: { agent: 'pm' } } })
    expect(answer.kind === 'refused' ? answer.message : '').toContain('pm has it for 60 s more')
    const other = await session.run('turn.say', { channel: 'room', text: 'as pm', agent: 'pm' }, { actor: 'agent:dev' })
    expect(other).toMatchObject({ code: 'INPUT_INVALID' })
  })

  test('who has the turn is told its token again, by a poll and by taking it, without a commit', async () => {
    const { session, done } = await begin({}, 'pm', 'dev')
    await done('turn.start', { channel: 'room' })
    const as = (agent: string) => ({ actor: `agent:${agent}` })
    const first = await session.run('turn.poll', { agent: 'pm' }, as('pm'))
    const { seq } = session
    const token = { channel: 'room', agent: 'pm', token: expect.any(Number) as number }
    expect(first).toMatchObject({ kind: 'accepted', value: token })
    for (const [name, input] of [
      ['turn.poll', { agent: 'pm' }],
      ['turn.take', { channel: 'room' }],
    ] as const)
      expect(await session.run(name, input, as('pm'))).toMatchObject({ seq, events: [], value: token })
    expect(await session.run('turn.poll', { agent: 'dev' }, as('dev'))).toMatchObject({ seq, value: undefined })
  })

  test('T3 an agent sends no other away, unless it may interrupt; a person does', async () => {
    const { run, done, active, room } = await begin({}, 'pm', 'dev', 'qa')
    await done('turn.start', { channel: 'room' })
    for (const keep of [false, true])
      expect(await run('turn.leave', { channel: 'room', agent: 'pm', keep }, 'agent:dev')).toBe('INPUT_INVALID')
    expect(active()).toBe('pm')
    await done('turn.join', { channel: 'room', agent: 'dev', can_interrupt: true })
    expect(await run('turn.leave', { channel: 'room', agent: 'pm', keep: true }, 'agent:dev')).toMatch(/^ended/)
    expect(await run('turn.leave', { channel: 'room', agent: 'qa' })).toBe('left')
    expect(room().queue).toEqual(['pm', 'dev'])
  })

  test('T7 over is later than the deadline: the last millisecond still counts', async () => {
    const place = await begin({}, 'pm', 'dev')
    await place.done('turn.start', { channel: 'room' })
    place.host.advance(60_000)
    expect((await place.rows())[0]).toMatchObject({ agent: 'pm', state: 'ACTIVE', left_ms: 0 })
    expect(await place.say('pm', 'in time')).toBe('said')
    place.host.advance(1)
    expect(await place.say('pm', 'too late')).toBe('said')
    expect((await place.messages()).map(({ text, late }) => [text, late])).toEqual([
      ['in time', false],
      ['too late', true],
    ])
    expect(place.active()).toBe('dev')
  })

  test('T7 a timeout is told with the moment of the deadline, whenever that is noticed', async () => {
    const { host, done, room, session } = await begin({}, 'pm', 'dev')
    await done('turn.start', { channel: 'room' })
    const deadline = room().turn?.deadline ?? 0
    host.advance(3_600_000)
    await done('turn.join', { channel: 'room', agent: 'qa' })
    const { value } = await done('turn.history', { channel: 'room' })
    expect(value).toMatchObject([
      { event: 'agent_registered', agentId: 'pm' },
      { event: 'agent_registered', agentId: 'dev' },
      { event: 'turn_started', agentId: 'pm' },
      {
        event: 'turn_timeout',
        agentId: 'pm',
        timestamp: new Date(deadline).toISOString(),
        details: { durationSeconds: 60 },
      },
      { event: 'turn_started', agentId: 'dev' },
      { event: 'agent_registered', agentId: 'qa' },
    ])
    expect(session.get('$.turns.channels.room.turn.deadline')).toBe(host.now() + 60_000)
  })

  test('T7 a read sees that a turn is over before anybody wrote it down', async () => {
    const place = await begin({}, 'pm', 'dev')
    await place.done('turn.start', { channel: 'room' })
    place.host.advance(60_001)
    const { seq } = place.session
    expect((await place.rows()).map(({ agent, state, token }) => [agent, state, token])).toEqual([
      ['pm', 'QUEUED', null],
      ['dev', 'ACTIVE', null],
    ])
    expect((await place.done('channel.list', {})).value).toMatchObject([{ active: 'dev', left_ms: null }])
    expect(place.session.seq).toBe(seq)
  })

  test('T7 roles and agents have times of their own', async () => {
    const { done, rows } = await begin({ timeouts: { qa: 45_000 } })
    const seats = [
      ['a', {}, 60_000],
      ['b', { role: 'PM' }, 90_000],
      ['c', { role: 'dev' }, 120_000],
      ['d', { role: 'qa' }, 45_000],
      ['e', { role: 'dev', timeout_ms: 5000 }, 5000],
    ] as const
    for (const [agent, more] of seats) await done('turn.join', { channel: 'room', agent, ...more })
    expect((await rows()).map(({ timeout_ms }) => timeout_ms)).toEqual(seats.map(([, , ms]) => ms))
  })

  test('T6 late is posted under the token of the turn that time took, also while it has another one', async () => {
    const place = await begin({}, 'pm', 'dev')
    const { value } = await place.done('turn.start', { channel: 'room' })
    const { token } = value as { token: number }
    place.host.advance(60_001)
    await place.done('turn.poll', { agent: 'dev' })
    await place.say('dev', DONE)
    expect(place.active()).toBe('pm')
    expect(await place.say('pm', `from before ${DONE}`, { token })).toBe('said')
    expect(place.active()).toBe('pm')
    expect(await place.say('pm', 'again', { token })).toBe('LEASE_LOST')
    expect((await place.messages()).map(({ late, turn }) => [late, turn])).toEqual([[true, token]])
  })

  test('T6 what a turn has cost that time took is counted, and ends the turn of nobody else', async () => {
    const place = await begin({}, 'pm', 'dev')
    const { value } = await place.done('turn.start', { channel: 'room' })
    const { token } = value as { token: number }
    place.host.advance(60_001)
    await place.done('turn.poll', { agent: 'dev' })
    const end = (more: object) => place.run('turn.end', { channel: 'room', ...more }, 'agent:pm')
    expect(await end({})).toBe('LEASE_HELD')
    expect(await end({ token: token + 1, cost_usd: 1 })).toBe('LEASE_LOST')
    expect(await end({ token, tokens: 900, cost_usd: 0.5 })).toBe('spent')
    expect(place.active()).toBe('dev')
    expect(place.room().spent).toMatchObject({ tokens: 900, cost_usd: 0.5 })
  })

  test('T6 the answer to a turn before the last one that time took is late as well, and no turn of its own', async () => {
    const place = await begin({}, 'pm', 'dev')
    const { value } = await place.done('turn.start', { channel: 'room' })
    const { token } = value as { token: number }
    for (let i = 0; i < 3; i++) {
      place.host.advance(60_001)
      await place.done('turn.poll', { agent: 'nobody' })
    }
    expect(place.active()).toBe('dev')
    expect(await place.say('pm', `at last ${DONE}`, { token })).toBe('said')
    expect(await place.messages()).toMatchObject([{ late: true, turn: token }])
    expect(await place.say('dev', 'mine', { token })).toBe('said')
    expect(await place.messages()).toMatchObject([{}, { late: true }])
  })

  test('T5 who is alone becomes idle, and the next message of another starts it', async () => {
    const place = await begin({}, 'pm')
    expect(await place.say('human:ana', 'hello')).toBe('said started')
    expect(await place.say('pm', `hi ${DONE}`)).toBe('said ended')
    expect([place.active(), place.state('pm')]).toEqual([null, 'IDLE'])
    expect(await place.say('tool:ci', 'the build is red')).toBe('said started')
  })

  test('T3 a turn that was taken out of order goes back to the one it was taken from', async () => {
    const place = await begin({}, 'a', 'b', 'c')
    await place.done('turn.join', { channel: 'room', agent: 'c', can_interrupt: true })
    await place.done('turn.start', { channel: 'room' })
    expect(await place.run('turn.take', { channel: 'room' }, 'agent:b')).toBe('LEASE_HELD')
    expect(await place.run('turn.take', { channel: 'room' }, 'agent:c')).toBe('ended started')
    const order: (string | null)[] = []
    for (let i = 0; i < 4; i++) {
      order.push(place.active())
      await place.say(place.active() ?? '', `${i} ${DONE}`)
    }
    expect(order).toEqual(['c', 'a', 'b', 'c'])
  })

  test('T3 when the one that has the turn leaves, the next in line has it, and the others wait as before', async () => {
    for (const keep of [true, false]) {
      const place = await begin({}, 'a', 'b', 'c', 'd')
      for (const agent of ['a', 'b']) await place.run('turn.start', { channel: 'room', agent })
      await place.say('a', DONE)
      await place.done('turn.leave', { channel: 'room', agent: 'b', keep })
      expect(place.active()).toBe('c')
      await place.done('turn.leave', { channel: 'room', agent: 'a', keep })
      await place.done('turn.join', { channel: 'room', agent: 'e', position: 'start' })
      await place.say('c', DONE)
      expect(place.active()).toBe('d')
      await place.say('d', DONE)
      expect(place.active()).toBe('e')
    }
  })

  test('T8 a pause stops the clock; what was left is left', async () => {
    const place = await begin({}, 'pm', 'dev')
    await place.done('turn.start', { channel: 'room' })
    place.host.advance(20_000)
    await place.done('turn.pause', { channel: 'room', note: 'lunch' })
    place.host.advance(3_600_000)
    expect(await place.say('pm', 'me')).toBe('LEASE_HELD')
    await place.done('turn.resume', { channel: 'room' })
    expect(place.room().turn?.deadline).toBe(place.host.now() + 40_000)
  })

  test('T1 an agent sits in several channels, with a state in each', async () => {
    const { done, session } = await begin({}, 'pm', 'dev')
    await done('channel.create', { channel: 'other' })
    for (const agent of ['dev', 'pm']) await done('turn.join', { channel: 'other', agent })
    for (const channel of ['room', 'other']) await done('turn.start', { channel })
    expect(session.get('$.turns.channels.room.seats.pm.state')).toBe('ACTIVE')
    expect(session.get('$.turns.channels.other.seats.pm.state')).toBe('QUEUED')
  })
})

describe('modes', () => {
  test('direct and single are for one; in single it takes turns, in direct and broadcast nobody waits', async () => {
    for (const mode of ['direct', 'single'] as const) {
      const { run } = await begin({ mode }, 'pm')
      expect(await run('turn.join', { channel: 'room', agent: 'dev' })).toBe('LIMIT_REACHED')
    }
    const single = await begin({ mode: 'single' }, 'pm')
    expect(await single.say('pm', 'me')).toBe('TURN_STATUS_INVALID')
    expect(await single.say('human:ana', 'go')).toBe('said started')
    const direct = await begin({ mode: 'direct' }, 'pm')
    expect([await direct.say('human:ana', 'go'), await direct.say('pm', 'me')]).toEqual(['said', 'said'])
    expect(await direct.run('turn.start', { channel: 'room' })).toBe('TURN_STATUS_INVALID')
    const broadcast = await begin({ mode: 'broadcast' })
    expect(await broadcast.say('anybody', 'heads up')).toBe('said')
  })
})

test('what the state keeps is bounded: a hundred of history and messages, two thousand characters each', async () => {
  const place = await begin({ mode: 'direct', max_turns: 0 }, 'a')
  for (let i = 0; i < 130; i++) await place.say('a', `${i} ${'x'.repeat(3000)}`)
  const messages = await place.messages()
  expect([messages.length, messages[0]?.n, messages.at(-1)?.n]).toEqual([100, 30, 129])
  expect(messages[0]).toMatchObject({ cut: true, seq: expect.any(Number) as unknown })
  expect(messages[0]?.text).toHaveLength(2000)
  for (let i = 0; i < 60; i++) {
    await place.done('turn.leave', { channel: 'room', agent: 'a', keep: true })
    await place.done('turn.join', { channel: 'room', agent: 'a' })
  }
  const { value } = await place.done('turn.history', {})
  const times = (value as readonly { readonly timestamp: string }[]).map(({ timestamp }) => timestamp)
  expect(times).toHaveLength(100)
  expect(times).toEqual(times.toSorted())
})

test('T2 T3 an agent that is lost loses its turn by recovery, and never its place', async () => {
  const place = await begin({}, 'a', 'b', 'c')
  for (const agent of ['a', 'b']) await place.done('agent.register', { agent, type: 'worker', ttl_ms: 1000 })
  await place.done('turn.start', { channel: 'room' })
  place.host.advance(1001)
  expect(await place.run('session.recover', {})).toContain('went-offline')
  expect([place.active(), place.room().queue.join()]).toEqual(['c', 'a,b,c'])
  const { value } = await place.done('turn.history', { agent: 'a' })
  expect(value).toContainEqual(
    expect.objectContaining({
      event: 'turn_completed',
      details: expect.objectContaining({ reason: 'recovery' }) as unknown,
    }),
  )
  expect(await place.run('turn.poll', { agent: 'a' })).toBe('came-back')
  expect(place.state('a')).toBe('QUEUED')
})

test('T2 the next operation ends the turn of an agent whose lease is over, without recover', async () => {
  const place = await begin({}, 'a', 'b')
  await place.done('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
  await place.done('turn.start', { channel: 'room' })
  place.host.advance(1001)
  await place.say('human:ana', 'is anybody there?')
  await place.say('human:ana', 'hello?')
  expect([place.active(), place.state('a')]).toEqual(['b', 'OFFLINE'])
})

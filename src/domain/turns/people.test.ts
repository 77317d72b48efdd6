import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/turns/place.ts'

const DONE = 'TURN_COMPLETE'

test.each([{ token: 2 }, { tokens: 10 }, { cost_usd: 0.5 }])(
  'T2 and T9 what is said with %j is of an agent, which has to be named',
  async (more) => {
    const place = await begin({}, 'pm', 'dev')
    await place.done('turn.start', { channel: 'room' })
    for (const actor of ['human:ana', 'tool:ci']) expect(await place.say(actor, 'done', more)).toBe('INPUT_INVALID')
    expect(await place.messages()).toEqual([])
    const token = place.room().turn?.token
    expect(await place.say('human:ana', 'done', { ...more, agent: 'pm', token })).toMatch(/^said/)
  },
)

describe('what a person says in a turn', () => {
  const inTurn = async (human: 'inject' | 'queue' | 'interrupt' | 'parallel') => {
    const place = await begin({ human }, 'pm', 'dev')
    await place.done('turn.start', { channel: 'room' })
    return place
  }

  test('inject: it is posted into the turn, which goes on', async () => {
    const place = await inTurn('inject')
    expect(await place.say('human:ana', 'and cost?')).toBe('said')
    expect(await place.messages()).toMatchObject([{ turn: place.room().turn?.token, posted: true }])
  })

  test('parallel: it is posted beside the turn', async () => {
    const place = await inTurn('parallel')
    expect(await place.say('human:ana', 'and cost?')).toBe('said')
    expect(await place.messages()).toMatchObject([{ turn: null, posted: true }])
  })

  test('queue: it is posted when the turn ends, and before the next begins', async () => {
    const place = await inTurn('queue')
    await place.say('human:ana', 'and cost?')
    expect(await place.messages()).toEqual([])
    expect(await place.say('pm', `so ${DONE}`)).toBe('said ended posted started')
    expect(await place.messages()).toMatchObject([{ text: 'so' }, { text: 'and cost?', posted: true }])
  })

  test('queue: its number is behind all that was said before it was posted, so that who reads on finds it', async () => {
    const place = await inTurn('queue')
    await place.say('pm', 'one')
    expect(await place.say('human:ana', 'stop')).toBe('kept')
    await place.say('pm', 'two')
    const read = await place.messages()
    expect(read.map(({ n, text }) => [n, text])).toEqual([
      [0, 'one'],
      [1, 'two'],
    ])
    const { value } = await place.done('turn.messages', { channel: 'room', after: 1, waiting: true })
    expect(value).toMatchObject([{ n: null, text: 'stop', author: 'human:ana', posted: false }])
    await place.say('pm', `three ${DONE}`)
    const behind = (await place.done('turn.messages', { channel: 'room', after: 1 })).value
    expect(behind).toMatchObject([
      { n: 2, text: 'three' },
      { n: 3, text: 'stop', posted: true, turn: expect.any(Number) },
    ])
    expect(place.room()).toMatchObject({ said: 4, pending: [] })
    expect(place.room().kept).toBeUndefined()
  })

  test('queue: it is posted, too, when another takes the turn, before that one begins', async () => {
    const place = await inTurn('queue')
    await place.say('human:ana', 'and cost?')
    const { events } = await place.done('turn.take', { channel: 'room', agent: 'dev' }, 'human:ana')
    expect(events.map(({ type }) => type)).toEqual(['turn.ended', 'turn.posted', 'turn.started'])
    expect(await place.messages()).toMatchObject([{ text: 'and cost?', posted: true }])
    expect(place.room().kept).toBeUndefined()
  })

  test('queue: nothing of it is lost in a long turn', async () => {
    const place = await inTurn('queue')
    await place.say('human:ana', 'stop')
    for (let i = 0; i < 120; i++) await place.say('pm', `${i}`)
    await place.say('pm', DONE)
    expect((await place.messages()).at(-1)).toMatchObject({ n: 120, text: 'stop' })
  })

  test('interrupt: the turn waits, and goes on when the person is done or its time is over', async () => {
    const place = await inTurn('interrupt')
    place.host.advance(10_000)
    expect(await place.say('human:ana', 'stop')).toBe('said held')
    expect(place.state('pm')).toBe('WAITING')
    expect(await place.say('pm', 'but')).toBe('LEASE_HELD')
    expect(await place.say('human:ana', `use argon2 ${DONE}`)).toBe('said resumed')
    expect(place.state('pm')).toBe('ACTIVE')
    await place.say('human:ana', 'stop')
    const until = place.room().hold?.until ?? 0
    place.host.advance(60_001)
    expect(await place.run('turn.poll', { agent: 'pm' })).toBe('taken clock-read')
    expect(place.room().turn?.deadline).toBe(until + 50_000)
  })
})

describe('T9 the guard', () => {
  test('stops after so many turns without a person, and goes on when one lets it', async () => {
    const place = await begin({ max_turns: 3 }, 'a', 'b')
    await place.done('turn.start', { channel: 'room' })
    const came: string[] = []
    for (let i = 0; i < 3; i++) came.push(await place.say(place.active() ?? '', `${i} ${DONE}`))
    expect(came).toEqual(['said ended started', 'said ended started', 'said ended held'])
    expect(await place.say('a', 'me')).toBe('NEEDS_PERSON')
    expect(await place.run('turn.resume', { channel: 'room' }, 'agent:a')).toBe('NEEDS_PERSON')
    const { value } = await place.done('channel.list', { stopped: true })
    expect(value).toMatchObject([{ channel: 'room', trip: 'turns', next: 'steadfold turn resume room' }])
    expect(await place.run('turn.resume', { channel: 'room' })).toBe('resumed started')
    expect(place.active()).toBe('b')
  })

  test('begins to count anew when a person speaks', async () => {
    const place = await begin({ max_turns: 2 }, 'a', 'b')
    await place.done('turn.start', { channel: 'room' })
    for (let i = 0; i < 6; i++) {
      await place.say('human:ana', `go on ${i}`)
      expect(await place.say(place.active() ?? '', `${i} ${DONE}`)).toBe('said ended started')
    }
  })

  test.each([
    ['repeated', ['a'], ['again!', 'Again', ' AGAIN… ']],
    ['ping-pong', ['a', 'b'], ['thanks', 'you too', 'Thanks!', 'you too', 'THANKS']],
  ])('%s: the same words, whatever their case and punctuation', async (trip, agents, texts) => {
    const place = await begin({}, ...agents)
    await place.done('turn.start', { channel: 'room' })
    const came: string[] = []
    for (const text of texts)
      came.push(await place.say(place.active() ?? '', agents.length > 1 ? `${text} ${DONE}` : text))
    expect(came.at(-1)).toContain('held')
    expect(came.slice(0, -1).join(' ')).not.toContain('held')
    expect(place.room().hold).toMatchObject({ kind: 'guard', trip })
  })

  test('different words are no repetition, and no limit is none', async () => {
    const place = await begin({ max_repeats: 0, max_turns: 0 }, 'a', 'b')
    await place.done('turn.start', { channel: 'room' })
    for (let i = 0; i < 60; i++) expect(await place.say(place.active() ?? '', `ok ${DONE}`)).toBe('said ended started')
  })

  test('tokens and cost stop it where they are spent; letting it go on grants them once more', async () => {
    const place = await begin({ max_tokens: 1000, max_cost_usd: 1 }, 'a', 'b')
    await place.done('turn.start', { channel: 'room' })
    expect(await place.say('a', 'one', { tokens: 600 })).toBe('said spent')
    expect(await place.say('a', 'two', { tokens: 600 })).toBe('said spent held')
    expect(place.room().hold).toMatchObject({ trip: 'tokens', left: 60_000 })
    await place.done('turn.resume', { channel: 'room' })
    expect(await place.say('a', 'three', { tokens: 600 })).toBe('said spent')
    expect(await place.run('turn.end', { channel: 'room', cost_usd: 1.5 }, 'agent:a')).toBe('spent ended held')
    expect(place.room().hold).toMatchObject({ trip: 'cost' })
    expect(place.room().spent).toEqual({ turns: 1, tokens: 1800, cost_usd: 1.5 })
  })

  test.each([
    [0.8, [0.7, 0.1], '$0.80 spent, the limit is $0.80'],
    [0.003, [0.001, 0.002], '$0.003 spent, the limit is $0.003'],
  ])('what is spent in parts stops it at %d, not behind it', async (max_cost_usd, parts, note) => {
    const place = await begin({ max_cost_usd }, 'a', 'b')
    await place.say('human:ana', 'go')
    for (const cost_usd of parts) {
      expect(place.room().hold).toBeNull()
      const { agent } = place.room().turn ?? {}
      await place.run('turn.end', { channel: 'room', cost_usd }, `agent:${agent ?? ''}`)
    }
    expect(place.room().hold).toMatchObject({ trip: 'cost', note })
  })
})

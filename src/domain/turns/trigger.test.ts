import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/turns/place.ts'

const DONE = 'TURN_COMPLETE'

/** `a` has the turn; `sec` may interrupt when it hears one of its words. */
async function inTurn(more: object = {}) {
  const place = await begin({}, 'a', 'b')
  await place.done('turn.join', {
    channel: 'room',
    agent: 'sec',
    can_interrupt: true,
    triggers: ['CVE', 'data loss', ''],
    ...more,
  })
  await place.done('turn.start', { channel: 'room' })
  return place
}

describe('T10 a word of another gives the turn to who waits for it', () => {
  test.each([
    ['there is a cve in it', 'sec'],
    ['**CVE**-2026-1', 'sec'],
    ['that means Data Loss.', 'sec'],
    ['cves', 'a'],
    ['a dataloss', 'a'],
    ['écve', 'a'],
  ])('%j: %s has it then', async (text, active) => {
    const place = await inTurn()
    await place.say('a', text)
    expect(place.active()).toBe(active)
  })

  test('the turn goes back to the one it was taken from, and nobody loses a place', async () => {
    const place = await inTurn()
    expect(await place.say('a', 'a CVE!')).toBe('said ended started')
    const order: (string | null)[] = []
    for (let i = 0; i < 4; i++) {
      order.push(place.active())
      await place.say(place.active() ?? '', `${i} ${DONE}`)
    }
    expect(order).toEqual(['sec', 'a', 'b', 'sec'])
  })

  test('in a message that ends the turn it comes before the next in line, who follows then', async () => {
    const place = await inTurn()
    expect(await place.say('a', `a CVE! ${DONE}`)).toBe('said ended started')
    expect(place.active()).toBe('sec')
    await place.say('sec', `fixed ${DONE}`)
    expect(place.active()).toBe('b')
  })

  test('a person says it as well as an agent; one that starts a channel at rest, too', async () => {
    const place = await inTurn()
    expect(await place.say('human:ana', 'any CVE?')).toBe('said ended started')
    for (const each of ['sec', 'a', 'b', 'sec'])
      await place.run('turn.leave', { channel: 'room', agent: each, keep: true })
    for (const each of ['a', 'b', 'sec']) await place.done('turn.join', { channel: 'room', agent: each })
    expect(place.active()).toBeNull()
    expect(await place.say('human:ana', 'and that CVE?')).toBe('said started')
    expect(place.active()).toBe('sec')
  })

  test.each([
    ['who may not interrupt', { can_interrupt: false }],
    ['who has no words', { triggers: [] }],
  ])('not %s', async (_, more) => {
    const place = await inTurn(more)
    expect(await place.say('a', 'a CVE!')).toBe('said')
  })

  test('not who is offline, not by its own words, not while the channel stands still', async () => {
    const place = await inTurn()
    await place.done('turn.leave', { channel: 'room', agent: 'sec', keep: true })
    expect(await place.say('a', 'a CVE!')).toBe('said')
    await place.done('turn.join', { channel: 'room', agent: 'sec' })
    await place.done('turn.pause', { channel: 'room' })
    expect(await place.say('human:ana', 'a CVE!')).toBe('said')
    await place.done('turn.resume', { channel: 'room' })
    await place.done('turn.take', { channel: 'room' }, 'agent:sec')
    expect(await place.say('sec', 'that CVE')).toBe('said')
  })

  test('of several the first by priority', async () => {
    const place = await inTurn()
    await place.done('turn.join', { channel: 'room', agent: 'b', can_interrupt: true, triggers: ['cve'], priority: 1 })
    await place.say('a', 'a CVE!')
    expect(place.active()).toBe('b')
  })
})

describe('a channel for roles', () => {
  test('lets in agents and people that have one of them, and tools; an empty list lets in everybody', async () => {
    const place = await begin({ roles: ['Dev', 'owner'] })
    expect(await place.run('turn.join', { channel: 'room' }, 'agent:x')).toBe('ROLE_REFUSED')
    expect(await place.run('turn.join', { channel: 'room', role: 'dev' }, 'agent:a')).toBe('joined')
    expect(await place.say('human:ana', 'hello')).toBe('ROLE_REFUSED')
    expect(await place.say('tool:ci', 'red')).toBe('said started')
    expect(await place.say('a', 'looking')).toBe('said')
    await place.done('team.add', { team: 'web', name: 'Web', orchestrator: 'ana' })
    for (const agent of ['human:ana', 'x']) await place.done('team.join', { team: 'web', agent, role: 'owner' })
    expect(await place.say('human:ana', 'hello')).toBe('said')
    expect(await place.run('turn.join', { channel: 'room' }, 'agent:x')).toBe('joined')
    expect(await place.run('turn.skip', { channel: 'room' }, 'human:bo')).toBe('ROLE_REFUSED')
    expect(await place.run('channel.set', { channel: 'room', roles: [''] }, 'human:bo')).toBe('channel-set')
    expect(await place.say('human:bo', 'hello')).toBe('said')
  })
})

describe('channel remove', () => {
  test('takes away queue, messages and deadline; not while somebody has the turn; the name is free again', async () => {
    const place = await begin({}, 'a', 'b')
    const { value } = await place.done('turn.start', { channel: 'room' })
    await place.say('a', 'hello')
    expect(await place.run('channel.remove', { channel: 'room' })).toBe('TURN_STATUS_INVALID')
    await place.done('turn.pause', { channel: 'room' })
    await place.done('turn.end', { channel: 'room', agent: 'a' })
    expect(await place.run('channel.remove', { channel: 'room' })).toBe('channel-removed')
    expect(place.session.get('$.turns')).toMatchObject({
      channels: {},
      messages: {},
      present: {},
      deadlines: { places: {} },
    })
    expect(await place.say('a', 'me')).toBe('NOT_FOUND')
    expect(await place.run('channel.remove', { channel: 'room' })).toBe('NOT_FOUND')
    const { value: history } = await place.done('turn.history', { channel: 'room' })
    expect(history).toMatchObject([{}, {}, {}, {}, {}, { event: 'agent_removed', agentId: 'a' }, { agentId: 'b' }])
    await place.done('channel.create', { channel: 'room' })
    await place.done('turn.join', { channel: 'room', agent: 'a' })
    const { token } = value as { token: number }
    expect(await place.say('a', 'from before', { token })).toBe('LEASE_LOST')
  })
})

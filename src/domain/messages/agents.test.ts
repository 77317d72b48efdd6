import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Event } from '../../kernel/log/commit.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import type { Delivered, Message, MessagesSlice, Of, Received } from './events.ts'

const AGENTS = ['a', 'ab', 'b'] as const
const agent = fc.constantFrom(...AGENTS)
const RANKS = { critical: 1, high: 2, normal: 3, low: 4 }

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      agent,
      to: fc.uniqueArray(agent, { minLength: 1, maxLength: 3 }),
      channel: fc.constantFrom('direct', 'direct', 'direct', 'direct', 'direct', 'emergency'),
      priority: fc.constantFrom('critical', 'high', 'normal', 'low'),
      ttl_ms: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined, freq: 2 }),
      max_deliveries: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('receive' as const),
      agent,
      max: fc.integer({ min: 1, max: 3 }),
      lease_ms: fc.integer({ min: 1, max: 300 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('ack', 'renew', 'return', 'reject', 'revive', 'drop'),
      agent,
      /** Which of the last deliveries, whoever had them. */
      pick: fc.nat(5),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 200 }) }) },
)

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** What the log says, folded by other code than the module's. */
interface Known {
  readonly order: readonly [rank: number, seq: number]
  readonly most: number
  readonly expires: number
  attempts: number
  lease: { readonly token: number; until: number } | undefined
  state: 'open' | 'dead' | 'gone'
}

class Witness {
  readonly known = new Map<string, Known>()

  see({ type, data }: Event, seq: number, now: number): void {
    if (type === 'message.sent') return this.#sent(data as Message, seq)
    if (!type.startsWith('message.')) return
    const of = data as Of & { readonly token: number; readonly until: number }
    const each = this.known.get(`${of.id} ${of.agent}`)
    if (each === undefined) throw new Error(`M2: ${type} of a message that was not sent`)
    expect(each.state, type).toBe(type === 'message.revived' || type === 'message.dropped' ? 'dead' : 'open')
    if (type === 'message.delivered') return this.#delivered(each, data as Delivered, seq, now)
    if ('token' in of) expect(of.token, `M3 ${type}`).toBe(each.lease?.token)
    if (type === 'message.renewed' && each.lease !== undefined) each.lease.until = of.until
    else this.#settled(each, type, now)
  }

  #sent({ id, to, channel, priority, expires, max_deliveries: most }: Message, seq: number): void {
    const order = [channel === 'emergency' ? 0 : RANKS[priority], seq] as const
    for (const each of to)
      this.known.set(`${id} ${each}`, {
        order,
        most,
        expires: expires ?? Infinity,
        attempts: 0,
        lease: undefined,
        state: 'open',
      })
  }

  #delivered(each: Known, data: Delivered, seq: number, now: number): void {
    const { agent: name, token, attempt, until } = data
    expect(data.message.to, 'M1').toContain(name)
    expect(each.lease, 'M3 two have it at once').toBeUndefined()
    expect(each.expires, 'M6').toBeGreaterThan(now)
    expect(token, 'M3').toBe(seq)
    expect(attempt, 'M4').toBe(each.attempts + 1)
    expect(attempt, 'M4').toBeLessThanOrEqual(each.most)
    this.#isFirst(name, each)
    each.attempts = attempt
    each.lease = { token, until }
  }

  /** M5 */
  #isFirst(name: string, { order: [rank, seq] }: Known): void {
    const open = [...this.known].filter(([key, { state }]) => key.endsWith(` ${name}`) && state === 'open')
    for (const [, other] of open) {
      if (rank > 0) expect(other.order[0], 'M5 an emergency is open').toBeGreaterThan(0)
      const [otherRank, otherSeq] = other.order
      const isBefore = otherRank < rank || (otherRank === rank && otherSeq < seq)
      if (isBefore) expect(other.lease, 'M5 another one comes first').toBeDefined()
    }
  }

  #settled(each: Known, type: string, now: number): void {
    if (type === 'message.lease-ended') expect(each.lease?.until, 'M4').toBeLessThanOrEqual(now)
    if (type === 'message.expired')
      expect(Math.max(each.expires, each.lease?.until ?? 0), 'M6').toBeLessThanOrEqual(now)
    each.lease = undefined
    if (type === 'message.acknowledged' || type === 'message.expired' || type === 'message.dropped') each.state = 'gone'
    if (type === 'message.died') each.state = 'dead'
    if (type === 'message.revived') Object.assign(each, { state: 'open', attempts: 0 })
  }

  /** M2: what must be there is there, and nothing else. */
  compare(session: Session): void {
    const slice = session.get('$.communication.messages') as MessagesSlice | undefined
    if (slice === undefined) return expect(this.known.size).toBe(0)
    const { messages, inboxes, deadlines } = slice
    const expected = [...this.known].filter(([, { state }]) => state !== 'gone')
    const found = Object.entries(inboxes).flatMap(([name, { deliveries, dead }]) => [
      ...Object.entries(deliveries).map(([id, { lease }]) => [`${id} ${name}`, lease?.token ?? 'open']),
      ...Object.keys(dead).map((id) => [`${id} ${name}`, 'dead']),
    ])
    expect(new Map(found as [string, unknown][]), 'M2').toEqual(
      new Map(expected.map(([key, { state, lease }]) => [key, lease?.token ?? state])),
    )
    for (const { deliveries, ready, open, emergencies } of Object.values(inboxes)) {
      const all = Object.values(deliveries)
      expect([open, emergencies]).toEqual([all.length, all.filter(({ order }) => order < 1e12).length])
      expect(ready.size).toBe(all.filter(({ lease }) => lease === null).length)
    }
    expect(new Set(Object.keys(messages))).toEqual(new Set(expected.map(([key]) => key.split(' ')[0])))
    const timed = expected.filter(
      ([, { state, lease, expires }]) => state === 'open' && (lease !== undefined || expires < Infinity),
    )
    expect(deadlines.size).toBe(timed.length)
  }
}

function act(session: Session, each: Exclude<Step, { kind: 'advance' }>, had: readonly Received[]): Promise<Answer> {
  const { kind, agent: name, ...input } = each
  const actor = { actor: `agent:${name}` }
  if (!('pick' in each)) return session.run(`message.${kind}`, input, actor)
  // What it had itself or another one had, now or before: all of it must be answered well.
  const { id, agent: owner, token } = had.at(-1 - each.pick) ?? { id: 'none', agent: name, token: 1 }
  if (kind === 'revive' || kind === 'drop') return session.run(`message.${kind}`, { id, agent: owner })
  const inbox = each.pick % 2 === 0 ? { agent: owner } : {}
  if (kind === 'reject') return session.run('message.return', { id, token, reject: true, ...inbox }, actor)
  return session.run(`message.${kind}`, { id, token, ...inbox }, actor)
}

test('M1 M2 M3 M4 M5 M6 hold after any acts of agents at any times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
      const host = fixedHost()
      const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
      const session = await makeWorkspace(kernel).createSession({ name: 'test' })
      const had: Received[] = []
      for (const each of steps) {
        if (each.kind === 'advance') {
          host.advance(each.ms)
          continue
        }
        const answer = await act(session, each, had)
        if (each.kind !== 'receive' || answer.kind === 'refused') continue
        // The answer of message.receive.
        const got = answer.value as readonly Received[]
        for (const { agent: name } of got) expect(name, 'M1').toBe(each.agent)
        had.push(...got)
      }
      const witness = new Witness()
      for await (const { events, seq, at } of session.commits())
        for (const event of events) witness.see(event, seq, Date.parse(at))
      witness.compare(session)
    }),
    { numRuns: 60 },
  )
})

test('M2 work that is done by agents which die at any time is all done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (dies) => {
      const host = fixedHost()
      const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
      const session = await makeWorkspace(kernel).createSession({ name: 'test' })
      for (let i = 0; i < 5; i++)
        await session.run('message.send', { to: ['a'], payload: i, max_deliveries: 1000 }, { actor: 'agent:lead' })
      const done = new Set<unknown>()
      for (let i = 0; done.size < 5; i++) {
        const answer = await session.run('message.receive', { lease_ms: 10 }, { actor: 'agent:a' })
        const [got] = answer.kind === 'accepted' ? (answer.value as readonly Received[]) : []
        host.advance(10 * (i % 2))
        if (got === undefined || dies[i] === true) continue
        const { id, token } = got
        const acked = await session.run('message.ack', { id, token }, { actor: 'agent:a' })
        if (acked.kind === 'accepted') done.add(got.payload)
      }
      expect(session.get('$.communication.messages.messages')).toEqual({})
    }),
    { numRuns: 20 },
  )
})

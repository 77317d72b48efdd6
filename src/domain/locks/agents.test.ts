import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Event } from '../../kernel/log/commit.ts'
import type { Session } from '../../kernel/session.ts'
import type { Granted, LockMode, LockRecord, Queued } from './events.ts'

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, session: await makeWorkspace(kernel).createSession({ name: 'test' }) }
}

const record = (session: Session, resource: string) =>
  session.get(`$.communication.locks.resources['${resource}']`) as LockRecord | undefined

const AGENTS = ['a', 'ab', 'a.b', 'b'] as const
const agent = fc.constantFrom(...AGENTS)
const resource = fc.constantFrom('x', 'y')
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('acquire' as const),
      agent,
      resource,
      mode: fc.constantFrom<LockMode>('exclusive', 'shared'),
      ttl_ms: fc.integer({ min: 1, max: 900 }),
      wait_ms: fc.constantFrom(0, 150, 900),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'release' as const,
        'release' as const,
        'release' as const,
        'renew' as const,
        'break' as const,
      ),
      agent,
      resource,
      stale: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 200 }) }) },
)

/** What must be so of every resource, whatever was done. */
function sound(session: Session, now: number): void {
  const all = (session.get('$.communication.locks.resources') ?? {}) as Record<string, LockRecord>
  for (const { holders: holds, queue: waiting } of Object.values(all)) {
    const alone = holds.some(({ mode }) => mode === 'exclusive')
    expect(alone ? holds.length : 1, 'K1').toBe(1)
    expect(new Set(holds.map(({ holder }) => holder)).size).toBe(holds.length)
    expect(waiting.map(({ ticket }) => ticket)).toEqual(waiting.map(({ ticket }) => ticket).toSorted((a, b) => a - b))
    // Nothing is free while somebody waits for it.
    if (waiting.length > 0) expect(holds.length, 'K2').toBeGreaterThan(0)
    if (waiting[0]?.mode === 'shared') expect(alone, 'K2').toBe(true)
    for (const { expires } of holds) expect(expires, 'K4').toBeGreaterThan(now)
    for (const { until } of waiting) expect(until, 'K4').toBeGreaterThan(now)
  }
}

/** K5 by itself, without the code that refuses loops: whoever waits comes to somebody who does not. */
function endless(session: Session): readonly string[] {
  const all = Object.values((session.get('$.communication.locks.resources') ?? {}) as Record<string, LockRecord>)
  const blockers = (name: string) =>
    all.flatMap(({ holders: holds, queue: waiting }) => {
      const at = waiting.findIndex(({ holder }) => holder === name)
      const mode = waiting[at]?.mode
      return mode === undefined
        ? []
        : [...holds, ...waiting.slice(0, at)]
            .filter((other) => other.holder !== name && (mode === 'exclusive' || other.mode === 'exclusive'))
            .map(({ holder }) => holder)
    })
  const names = AGENTS.map((name) => `agent:${name}`)
  // Take away, again and again, whoever waits for nobody that is left.
  let left = names
  for (;;) {
    const rest = left.filter((name) => blockers(name).some((other) => left.includes(other)))
    if (rest.length === left.length) return rest
    left = rest
  }
}

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never
type Act = Exclude<Step, { kind: 'advance' }>

function inputOf(act: Act, token: number): object {
  const { kind, resource } = act
  if (kind === 'acquire') return { resource, mode: act.mode, ttl_ms: act.ttl_ms, wait_ms: act.wait_ms }
  return kind === 'break' ? { resource, cause: 'stuck' } : { resource, token }
}

/** K2 and K3 from the log alone. */
class Witness {
  readonly #waiting = new Map<string, Map<string, number>>()
  readonly #last = new Map<string, number>()

  see({ type, data }: Event, seq: number): void {
    // What these types carry.
    if (type === 'lock.granted') this.#granted(data as Granted, seq)
    const { holder, resource, ticket } = data as Queued
    if (type === 'lock.queued') this.#queue(resource).set(holder, ticket)
    if (type === 'lock.wait-ended') this.#queue(resource).delete(holder)
  }

  #queue(resource: string): Map<string, number> {
    const queue = this.#waiting.get(resource) ?? new Map<string, number>()
    this.#waiting.set(resource, queue)
    return queue
  }

  #granted({ holder, resource, token }: Granted, seq: number): void {
    expect(token, 'K3').toBe(seq)
    expect(token, 'K3').toBeGreaterThanOrEqual(this.#last.get(resource) ?? 0)
    this.#last.set(resource, token)
    // Nobody who asked earlier is still waiting.
    const queue = this.#queue(resource)
    const mine = queue.get(holder) ?? seq
    queue.delete(holder)
    expect(
      [...queue.values()].filter((ticket) => ticket < mine),
      'K2',
    ).toEqual([])
  }
}

async function perform(session: Session, act: Act, tokens: Map<string, number>): Promise<void> {
  const { kind, resource } = act
  const actor = `agent:${act.agent}`
  const before = record(session, resource)
  const held = before?.holders.find(({ holder }) => holder === actor)?.token
  const old = tokens.get(`${actor} ${resource}`) ?? 1
  if (held !== undefined) tokens.set(`${actor} ${resource}`, held)
  const token = 'stale' in act && act.stale ? old : (held ?? old)
  const answer = await session.run(`lock.${kind}`, inputOf(act, token), { actor })
  // K6: nobody is let in by the hold of another.
  if (kind === 'acquire' && answer.kind === 'accepted') expect(answer.value).toMatchObject({ holder: actor })
  if (answer.kind === 'refused' || (kind !== 'renew' && kind !== 'release')) return
  // K3: only the holder's own token changes anything.
  expect(before?.holders).toContainEqual(expect.objectContaining({ holder: actor, token }))
}

test('K1 K2 K3 K4 K5 hold after any acts of agents at any times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
      const { session, host } = await begin()
      const tokens = new Map<string, number>()
      for (const each of steps) {
        const { seq } = session
        if (each.kind === 'advance') host.advance(each.ms)
        else await perform(session, each, tokens)
        if (session.seq > seq) sound(session, host.now())
        expect(endless(session), 'K5').toEqual([])
      }
      const witness = new Witness()
      for await (const { events, seq } of session.commits()) for (const event of events) witness.see(event, seq)
    }),
    { numRuns: 60 },
  )
})

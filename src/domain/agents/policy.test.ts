import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { AgentInstance, Sample, ScalingPolicy } from './events.ts'
import { healthOf, nextScore } from './health.ts'
import { targetOf, trendOf } from './policy.ts'

const NOW = 10_000_000
const policies = fc.constantFrom<ScalingPolicy>('manual', 'demand', 'predictive')
const samples = fc
  .uniqueArray(fc.nat({ max: 600_000 }), { maxLength: 12 })
  .chain((ages) => fc.tuple(...ages.map((age) => fc.tuple(fc.constant(NOW - age - 1), fc.nat({ max: 200 })))))
const pool = fc
  .record({
    policy: policies,
    least: fc.nat({ max: 5 }),
    more: fc.nat({ max: 10 }),
    each: fc.integer({ min: 1, max: 5 }),
    target: fc.nat({ max: 20 }),
    samples,
  })
  .map(({ policy, least, more, each, target, samples: seen }) => ({
    scaling_policy: policy,
    min_instances: least,
    max_instances: Math.max(1, least + more),
    tasks_per_agent: each,
    target,
    samples: seen as readonly Sample[],
  }))
const depth = fc.nat({ max: 200 })

describe('how many agents a pool should have', () => {
  test('P1 is never outside its bounds', () => {
    fc.assert(
      fc.property(pool, depth, (each, waiting) => {
        const { to } = targetOf(each, waiting, NOW)
        expect(to).toBeGreaterThanOrEqual(each.min_instances)
        expect(to).toBeLessThanOrEqual(each.max_instances)
        expect(Number.isInteger(to)).toBe(true)
      }),
    )
  })

  test('P2 by hand is what was said, whatever waits', () => {
    fc.assert(
      fc.property(pool, depth, (each, waiting) => {
        const within = Math.min(each.max_instances, Math.max(each.min_instances, each.target))
        expect(targetOf({ ...each, scaling_policy: 'manual' }, waiting, NOW).to).toBe(within)
      }),
    )
  })

  test('P3 on demand is enough at once, or one less than before', () => {
    fc.assert(
      fc.property(pool, depth, (each, waiting) => {
        const { to } = targetOf({ ...each, scaling_policy: 'demand' }, waiting, NOW)
        const enough = Math.ceil(waiting / each.tasks_per_agent)
        expect(to >= Math.min(enough, each.max_instances)).toBe(true)
        if (each.target <= each.max_instances) expect(to >= each.target - 1 || to === each.max_instances).toBe(true)
      }),
    )
  })

  test('P4 predictive is demand while the queue is steady, and more while it grows', () => {
    const steady = {
      scaling_policy: 'predictive' as const,
      min_instances: 0,
      max_instances: 50,
      tasks_per_agent: 1,
      target: 0,
    }
    fc.assert(
      fc.property(depth, samples, (waiting, seen) => {
        const flat = seen.map(([at]): Sample => [at, waiting])
        const demand = targetOf({ ...steady, scaling_policy: 'demand', samples: flat }, waiting, NOW)
        expect(targetOf({ ...steady, samples: flat }, waiting, NOW).to).toBe(demand.to)
      }),
    )
    const growing: Sample[] = [
      [NOW - 120_000, 0],
      [NOW - 60_000, 5],
    ]
    expect(targetOf({ ...steady, samples: growing }, 10, NOW)).toMatchObject({ to: 15, trend: 5 })
    const old: Sample[] = [[NOW - 700_000, 90]]
    expect(targetOf({ ...steady, samples: old }, 10, NOW)).toMatchObject({ to: 10, trend: 0 })
  })

  test('P5 a longer queue never means fewer agents', () => {
    fc.assert(
      fc.property(pool, depth, depth, (each, a, b) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)]
        expect(targetOf(each, many, NOW).to).toBeGreaterThanOrEqual(targetOf(each, few, NOW).to)
      }),
    )
  })

  test('P4 a trend needs two moments', () => {
    expect(trendOf([[NOW, 4]])).toBe(0)
    expect(
      trendOf([
        [NOW, 4],
        [NOW, 9],
      ]),
    ).toBe(0)
    expect(
      Object.is(
        trendOf([
          [0, 5],
          [60_000, 5],
        ]),
        0,
      ),
    ).toBe(true)
  })
})

async function begin() {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost() }
  return makeWorkspace(kernel).createSession({ name: 'test' })
}
const scale = async (session: Session, input: object) => {
  const answer = await session.run('pool.scale', { type: 'worker', ...input })
  return answer.kind === 'accepted' ? { value: answer.value, told: answer.events.map(({ type }) => type) } : answer.code
}

describe('a pool', () => {
  test('looks at the tasks that are to be done, and tells who starts agents how many', async () => {
    const session = await begin()
    await session.run('pool.set', { type: 'worker', max: 3, policy: 'demand', tasks_per_agent: 2 })
    await session.run('agent.register', { agent: 'a', type: 'worker' })
    expect(await scale(session, { depth: 3 })).toMatchObject({
      value: { depth: 3, running: 1, target: 2, start: 1, stop: 0 },
      told: ['pool.sampled', 'pool.scaled'],
    })
    expect(await scale(session, { depth: 3 })).toMatchObject({ told: ['pool.sampled'] })
    expect(session.get('$.execution.agents.pool.worker')).toMatchObject({
      agent_type: 'worker',
      scaling_policy: 'demand',
      target: 2,
      last_decision: { to: 2, reason: '3 to do, 2 for each agent' },
    })
  })

  test('takes a number by hand within its bounds, keeps twelve samples, and bounds that make sense', async () => {
    const session = await begin()
    expect(await scale(session, {})).toBe('NOT_FOUND')
    expect(await session.run('pool.set', { type: 'worker', min: 2, max: 1 })).toMatchObject({ code: 'INPUT_INVALID' })
    await session.run('pool.set', { type: 'worker', min: 1, max: 4 })
    expect(await scale(session, { to: 5 })).toBe('LIMIT_REACHED')
    for (const [to, flag] of [
      [5, '--max'],
      [0, '--min'],
    ] as const)
      expect(await session.run('pool.scale', { type: 'worker', to })).toMatchObject({
        hint: expect.stringMatching(new RegExp(`${flag}.*pool list`)) as unknown,
      })
    for (let i = 0; i < 20; i++)
      expect(await scale(session, { to: 3, depth: i })).toMatchObject({ value: { target: 3 } })
    expect(session.get('$.execution.agents.pool.worker.samples')).toHaveLength(12)
    const before = session.seq
    await session.run('pool.set', { type: 'worker', min: 1, max: 4 })
    expect(session.seq).toBe(before)
    await session.run('pool.set', { type: 'worker', min: 1, max: 2 })
    expect(session.get('$.execution.agents.pool.worker.target')).toBe(2)
    await session.run('pool.remove', { type: 'worker' })
    expect(session.get('$.execution.agents.pool')).toEqual({})
  })
})

describe('health', () => {
  test('a score stays between 0 and 1, falls with errors and rises without', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 5 }), (score, errors) => {
        const next = nextScore(score, errors)
        expect(next).toBeGreaterThanOrEqual(0)
        expect(next).toBeLessThanOrEqual(1)
        expect(errors > 0 ? next <= score + 0.0001 : next >= score - 0.0001).toBe(true)
      }),
    )
  })

  test.each([
    ['healthy', {}, 1, 500],
    ['degraded', { status: 'blocked' }, 1, 500],
    ['degraded', {}, 0.7, 500],
    ['degraded', {}, 1, 100],
    ['critical', {}, 0.3, 500],
    ['critical', {}, 1, -1],
  ] as const)('%s: %j, score %d, %d ms left', (level, more, performance_score, left) => {
    const agent = {
      status: 'busy',
      reason: null,
      ttl_ms: 1000,
      expires: NOW + left,
      health: { performance_score, error_count: 1, last_heartbeat: '' },
      ...more,
    } as unknown as AgentInstance
    expect(healthOf(agent, NOW).level).toBe(level)
  })
})

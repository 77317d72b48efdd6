import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { judge, THRESHOLDS, type HealthName } from '../../kernel/health.ts'
import type { Commit } from '../../kernel/log/commit.ts'
import { figuresOf } from './figures.ts'
import { metricsOf } from './metrics.ts'
import { recentEvents, severityOf, type Severity } from './recent.ts'

async function begin() {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({ name: 'test' })
  const commits = async () => {
    const all: Commit[] = []
    for await (const commit of session.commits()) all.push(commit)
    return all
  }
  const metrics = async () => metricsOf(await session.stateAt(), { now: host.now(), recent: await commits() })
  return { host, session, commits, metrics }
}

test('M2 M3 a session in which nothing happened has shares of 0, and no figure that nobody measured', async () => {
  const { host, metrics } = await begin()
  host.advance(90_500)
  expect(await metrics()).toEqual({
    performance: { session_duration_seconds: 90, total_tokens_used: 0 },
    utilization: { agent_utilization_rate: 0, memory_usage_mb: 0, active_connections: 0, queue_depths: {} },
    quality: { task_completion_rate: 0, error_rate: 0 },
  })
})

test('M1 the tokens of a session are a whole number, also where steps report parts of them', async () => {
  const { session, metrics } = await begin()
  for (const [n, tokens] of [0.7, 0.2].entries()) {
    const key = String(n).repeat(64)
    await session.run('step.start', { key, name: `s${n}`, state: null, command: 'x' })
    await session.run('step.finish', { key, token: session.seq, exit: 0, tokens })
  }
  expect((await metrics()).performance.total_tokens_used).toBe(1)
})

test('M1 an agent that holds a task is busy, whatever it says', async () => {
  const { session, metrics } = await begin()
  for (const agent of ['a', 'b']) await session.run('agent.register', { agent, type: 'worker' })
  await session.run('task.add', { title: 'one' })
  await session.run('task.claim', { any: true }, { actor: 'agent:b' })
  expect(await metrics()).toMatchObject({ utilization: { agent_utilization_rate: 0.5 } })
  const agents = await session.run('agent.list', {})
  expect(agents).toMatchObject({
    value: [
      { id: 'a', task: null },
      { id: 'b', task: 'task-1' },
    ],
  })
})

test('M1 every figure, from agents, tasks, messages, locks, steps and what the work says of itself', async () => {
  const { host, session, metrics } = await begin()
  const run = async (name: string, input: object, actor = 'human:ana') => session.run(name, input, { actor })
  await run('agent.register', { agent: 'a', type: 'worker' })
  await run('agent.register', { agent: 'b', type: 'worker' })
  host.advance(300)
  await run('agent.heartbeat', { agent: 'a', status: 'busy', tokens: 70, memory_mb: 200 })
  for (const title of ['one', 'two', 'three']) await run('task.add', { title })
  await run('task.claim', { task: 'task-1' }, 'agent:a')
  await run('task.done', { task: 'task-1' }, 'agent:a')
  await run('message.send', { payload: 'x', to: ['b'] })
  await run('lock.acquire', { resource: 'db' }, 'agent:a')
  await run('lock.acquire', { resource: 'db', wait_ms: 60_000 }, 'agent:b')
  for (const [name, kind] of [['good', 'finish'] as const, ['bad', 'fail'] as const]) {
    const key = (name === 'good' ? 'a' : 'b').repeat(64)
    await run('step.start', { key, name, state: null, command: 'x' })
    const cost = { key, token: session.seq, tokens: 15, duration_ms: kind === 'finish' ? 1000 : 500 }
    await run(`step.${kind}`, kind === 'finish' ? { ...cost, exit: 0 } : { ...cost, reason: 'no', class: 'transient' })
  }
  await run('output.set', { name: 'unit.test_coverage_percent', value: '87.5' })
  await run('state.set', { path: '$.data.quality.user_satisfaction_score', value: 4 })
  expect(await metrics()).toEqual({
    performance: {
      session_duration_seconds: 0,
      total_tokens_used: 100,
      average_response_time_ms: 750,
      agent_spawn_time_ms: 300,
    },
    utilization: {
      agent_utilization_rate: 0.5,
      memory_usage_mb: 200,
      active_connections: 2,
      queue_depths: { tasks: 2, 'messages b': 1, 'lock db': 1 },
    },
    quality: {
      task_completion_rate: 1 / 3,
      error_rate: 0.5,
      test_coverage_percent: 87.5,
      user_satisfaction_score: 4,
    },
  })
})

test('M1 queues are as they are at the moment, also where nobody has told yet what time has ended', async () => {
  const { host, session, metrics } = await begin()
  const run = async (name: string, input: object, actor = 'human:ana') => session.run(name, input, { actor })
  for (const title of ['one', 'two']) await run('task.add', { title })
  await run('task.claim', { task: 'task-1', ttl_ms: 1000 }, 'agent:a')
  for (const more of [{ ttl_ms: 1000 }, {}, { max_deliveries: 1 }])
    await run('message.send', { payload: 'x', to: ['b'], ...more })
  await run('lock.acquire', { resource: 'db' }, 'agent:a')
  await run('lock.acquire', { resource: 'db', wait_ms: 1000 }, 'agent:b')
  expect(await metrics()).toMatchObject({ utilization: { queue_depths: { tasks: 1, 'messages b': 3, 'lock db': 1 } } })
  host.advance(2000)
  const told = await metrics()
  expect(told).toMatchObject({ utilization: { queue_depths: { tasks: 2, 'messages b': 2 } } })
  await session.run('session.tick', {})
  expect((await metrics()).utilization.queue_depths).toEqual(told.utilization.queue_depths)
})

test('M2 a report outside of its bounds is none', async () => {
  const { session, metrics } = await begin()
  await session.run('state.set', {
    path: '$.data.quality',
    value: { test_coverage_percent: 101, code_quality_score: 'good', user_satisfaction_score: 0 },
  })
  expect((await metrics()).quality).toEqual({ task_completion_rate: 0, error_rate: 0 })
})

test('M2 what the process measured is told as it was given', async () => {
  const { session } = await begin()
  const measured = { state_query_time_ms: 0.5, persistence_write_time_ms: 2, cpu_usage_percent: 12 }
  const told = metricsOf(await session.stateAt(), { now: 0, recent: [], measured })
  expect(told.performance).toMatchObject({ state_query_time_ms: 0.5, persistence_write_time_ms: 2 })
  expect(told.utilization).toMatchObject({ cpu_usage_percent: 12 })
})

test('recent events are at most a hundred, each with an id of its own and who asked', async () => {
  const { session, commits } = await begin()
  await session.run('task.import', {
    tasks: Array.from({ length: 130 }, (_, n) => ({ id: `task-${n}`, title: 'x' })),
  })
  const recent = recentEvents(await commits(), session.id)
  expect(recent).toHaveLength(100)
  expect(new Set(recent.map(({ id }) => id)).size).toBe(100)
  for (const { id } of recent) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(recent.at(-1)).toMatchObject({ type: 'task.added', source: 'human:local', session_id: session.id })
})

const SEVERITIES: Readonly<Record<Severity, readonly (readonly [string, object])[]>> = {
  debug: [['agent.heartbeat-received', {}]],
  info: [
    ['task.added', {}],
    ['agent.removed', { cause: 'finished' }],
  ],
  warning: [
    ['step.parked', {}],
    ['agent.removed', { cause: 'crashed' }],
    ['task.returned', { cause: 'expired' }],
  ],
  error: [
    ['step.failed', {}],
    ['message.died', {}],
  ],
  critical: [['message.sent', { channel: 'emergency' }]],
}

test.each(Object.entries(SEVERITIES))('%s events', (severity, events) => {
  for (const [type, data] of events) expect(severityOf(type, data), type).toBe(severity)
})

test('a figure at its limit has reached it, the worst of each name counts, and only what is not well has a next step', () => {
  const names = Object.keys(THRESHOLDS) as HealthName[]
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1 }),
      (name, levels) => {
        const { warning, critical } = THRESHOLDS[name]
        const well = critical < warning ? warning + 1 : warning - 1
        const values = [well, warning, critical]
        const figures = levels.map((level) => ({ name, value: values[level] ?? 0, of: '', next: 'do' }))
        const worst = Math.max(...levels)
        const expected = worst === 2 || (worst === 1 && warning === critical) ? 'fail' : worst === 1 ? 'warn' : 'ok'
        const { status, checks } = judge(figures, THRESHOLDS, 0)
        expect([status, checks[0]?.status]).toEqual([expected, expected])
        expect(checks[0]?.next).toBe(expected === 'ok' ? null : 'do')
      },
    ),
  )
})

test('leases that are over, and a clock behind the log, are figures', async () => {
  const { host, session } = await begin()
  await session.run('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
  const figures = async (now: number) => {
    const told = { state: await session.stateAt(), at: session.updatedAt, now, log_bytes: 7, damaged: false }
    return Object.fromEntries(figuresOf(told).map(({ name, value }) => [name, value]))
  }
  const now = host.now()
  expect(await figures(now)).toEqual({ damage: 0, log_size: 7, lease_lag: 0, clock_skew: 0 })
  expect(await figures(now + 5000)).toMatchObject({ lease_lag: 4000, clock_skew: 0 })
  expect(await figures(now - 5000)).toMatchObject({ lease_lag: 0, clock_skew: 5000 })
  await session.run('session.end', { outcome: 'completed' })
  expect(await figures(now + 5000)).toMatchObject({ lease_lag: 0 })
})

test('the share of tasks that are completed stays when some are put away (N6 of plans)', async () => {
  const { session, metrics } = await begin()
  for (const task of ['task-1', 'task-2', 'task-3']) {
    await session.run('task.add', { title: 'x' })
    if (task !== 'task-3') await session.run('task.claim', { task })
  }
  await session.run('task.done', { task: 'task-1' })
  for (const _ of [1, 2]) {
    expect((await metrics()).quality.task_completion_rate).toBe(1 / 3)
    expect(await session.run('session.tidy', { older_ms: 0 })).toMatchObject({ kind: 'accepted' })
  }
  expect(Object.keys(session.get('$.execution.tasks') as object)).toEqual(['task-2', 'task-3'])
})

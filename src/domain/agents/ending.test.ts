import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { AgentInstance, AgentsSlice } from './events.ts'

const TTL = 1000

const slice = (session: Session) => session.get('$.execution.agents') as AgentsSlice
const agent = (session: Session, id: string) =>
  session.get(`$.execution.agents.active.${id}`) as AgentInstance | undefined
const names = (session: Session) => Object.keys(slice(session).active)

async function register(session: Session, id: string, parent?: string, more: object = {}): Promise<number> {
  const input = { agent: id, type: 'worker', ttl_ms: TTL, ...more }
  const answer = await (parent === undefined
    ? session.run('agent.register', input)
    : session.run('agent.spawn', { ...input, parent }))
  return answer.kind === 'accepted' ? (answer.value as { token: number }).token : 0
}

const code = async (session: Session, operation: string, input: object, options = {}) => {
  const answer = await session.run(operation, input, options)
  return answer.kind === 'accepted' ? 'accepted' : answer.code
}

describe('A3 and A4 who goes', () => {
  async function family() {
    const begun = await begin()
    await register(begun.session, 'top', undefined, { ttl_ms: 10 * TTL })
    await register(begun.session, 'left', 'top')
    await register(begun.session, 'leaf', 'left', { ttl_ms: 10 * TTL })
    await register(begun.session, 'right', 'top', { ttl_ms: 10 * TTL })
    return begun
  }

  test('takes along who stands below, as orphans, in the same commit', async () => {
    const { host, session } = await family()
    host.advance(TTL + 1)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(names(session)).toEqual(['top', 'right'])
    expect(slice(session).gone).toMatchObject([
      { id: 'left', cause: 'timeout', parent: 'top' },
      { id: 'leaf', cause: 'orphaned', parent: 'left' },
    ])
    expect(agent(session, 'top')?.context.child_agents).toEqual(['right'])
  })

  test('says first what becomes of its children', async () => {
    const { session } = await family()
    expect(await code(session, 'agent.leave', { agent: 'left' })).toBe('AGENT_STATUS_INVALID')
    expect(await code(session, 'agent.leave', { agent: 'left', children: 'adopt' })).toBe('accepted')
    expect(agent(session, 'leaf')).toMatchObject({ depth: 1, context: { parent_agent: 'top' } })
    expect(agent(session, 'top')?.context.child_agents).toEqual(['right', 'leaf'])
    expect(await code(session, 'agent.leave', { agent: 'top', children: 'remove' })).toBe('accepted')
    expect(names(session)).toEqual([])
  })

  test('stop reaches everybody below', async () => {
    const { session } = await family()
    await session.run('agent.stop', { agent: 'left' })
    expect(names(session).map((id) => agent(session, id)?.status)).toEqual([
      'initializing',
      'terminating',
      'terminating',
      'initializing',
    ])
  })

  test('gives the tasks that it had claimed back to pending; its token no longer counts for them', async () => {
    const { host, session } = await family()
    await session.run('task.add', { id: 'task-1', title: 'one' })
    await session.run('task.add', { id: 'task-2', title: 'two' })
    const claim = (task: string, actor: string) => session.run('task.claim', { task, ttl_ms: 60_000 }, { actor })
    await claim('task-1', 'agent:leaf')
    await claim('task-2', 'agent:right')
    host.advance(TTL + 1)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(session.get("$.execution.tasks['task-1']")).toMatchObject({ status: 'pending', assignee: null })
    expect(session.get("$.execution.tasks['task-2']")).toMatchObject({ status: 'assigned', assignee: 'agent:right' })
    expect(await code(session, 'task.done', { task: 'task-1' }, { actor: 'agent:leaf' })).not.toBe('accepted')
  })

  test('restoring the state brings nobody back, and takes nobody away', async () => {
    const { session } = await family()
    const before = session.seq
    await session.run('task.add', { id: 'task-1', title: 'one' })
    await session.run('agent.leave', { agent: 'right' })
    await register(session, 'new')
    expect(await code(session, 'session.restore', { to: String(before) })).toBe('accepted')
    expect(names(session)).toEqual(['top', 'left', 'leaf', 'new'])
    expect(session.get("$.execution.tasks['task-1']")).toBeUndefined()
  })
})

describe('A5 limits', () => {
  test.each([
    [
      'agents of the session',
      { max_concurrent_agents: 1 },
      'wait for one to end, or raise it: steadfold budget set --max-concurrent-agents 2',
    ],
    [
      'depth',
      { max_delegation_depth: 0 },
      'spawn under one that stands higher, or raise it: steadfold budget set --max-delegation-depth 1',
    ],
    ['tokens', { token_budget: 10 }, 'raise it: steadfold budget set --token-budget 20'],
    ['time', { time_budget_minutes: 1 }, 'raise it: steadfold budget set --time-budget-minutes 61'],
  ])('%s', async (_name, budget, hint) => {
    const { host, session } = await begin()
    await register(session, 'a', undefined, { ttl_ms: 600_000 })
    await session.run('agent.heartbeat', { agent: 'a', tokens: 10 })
    host.advance(60_000)
    await session.run('budget.set', budget)
    const spawn = { agent: 'b', type: 'worker', parent: 'a' }
    expect(await session.run('agent.spawn', spawn)).toMatchObject({ code: 'LIMIT_REACHED', hint })
    const [, flag = '', most] = /--([a-z-]+) (\d+)$/.exec(hint) ?? []
    await session.run('budget.set', { [flag.replaceAll('-', '_')]: Number(most) })
    expect(await code(session, 'agent.spawn', spawn)).toBe('accepted')
  })

  test('of a pool and of a parent', async () => {
    const { session } = await begin()
    await session.run('pool.set', { type: 'tester', max: 1 })
    expect(await register(session, 'a', undefined, { type: 'tester', max_children: 1 })).toBeGreaterThan(0)
    expect(await code(session, 'agent.register', { agent: 'b', type: 'tester' })).toBe('LIMIT_REACHED')
    expect(await code(session, 'agent.spawn', { agent: 'b', type: 'worker', parent: 'a' })).toBe('accepted')
    expect(await code(session, 'agent.spawn', { agent: 'c', type: 'worker', parent: 'a' })).toBe('LIMIT_REACHED')
  })

  test('who is over its own is blocked, and is told in the commit that counted it; the next hour begins anew', async () => {
    const { host, session } = await begin()
    await session.run('pool.set', { type: 'worker', max: 3, max_tokens_per_hour: 100 })
    await register(session, 'a', undefined, { ttl_ms: 7_200_000 })
    await session.run('agent.heartbeat', { agent: 'a', status: 'busy', tokens: 100 })
    expect(agent(session, 'a')?.status).toBe('busy')
    await session.run('agent.heartbeat', { agent: 'a', status: 'busy', tokens: 1 })
    expect(agent(session, 'a')).toMatchObject({ status: 'blocked', reason: 'max_tokens_per_hour: 101 of 100' })
    host.advance(3_600_000)
    await session.run('agent.heartbeat', { agent: 'a', status: 'busy', tokens: 1 })
    expect(agent(session, 'a')).toMatchObject({ status: 'busy', reason: null, context: { token_usage: 102 } })
  })
})

test.each([
  ['its hour is over', {}, { status: 'busy', reason: null }],
  ['it uses as much again', { tokens: 101 }, { status: 'blocked', reason: 'max_tokens_per_hour: 101 of 100' }],
  ['it says that it waits', { status: 'blocked', reason: 'a review' }, { status: 'blocked', reason: 'a review' }],
])('A5 a limit that blocked an agent is lifted by a heartbeat that finds it below: %s', async (_, beat, after) => {
  const { host, session } = await begin()
  await register(session, 'a', undefined, { ttl_ms: 7_200_000, max_tokens_per_hour: 100 })
  await session.run('agent.heartbeat', { agent: 'a', task: 'T-1', tokens: 101 })
  await session.run('agent.heartbeat', { agent: 'a' })
  expect(agent(session, 'a')).toMatchObject({ status: 'blocked', reason: 'max_tokens_per_hour: 101 of 100' })
  host.advance(3_600_000)
  const answer = await session.run('agent.heartbeat', { agent: 'a', ...beat })
  expect([answer.kind, agent(session, 'a')]).toMatchObject(['accepted', after])
})

test('A5 an agent that is blocked by itself stays so', async () => {
  const { session } = await begin()
  await register(session, 'a')
  await session.run('agent.heartbeat', { agent: 'a', status: 'blocked', reason: 'a review' })
  await session.run('agent.heartbeat', { agent: 'a' })
  expect(agent(session, 'a')).toMatchObject({ status: 'blocked', reason: 'a review' })
})

test('A6 counts are what counting gives, leases are those of the agents, and A3 holds, after any commands', async () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const command = fc.oneof(
    fc.record({ kind: fc.constant('register' as const), agent: id, resume: fc.boolean() }),
    fc.record({ kind: fc.constant('spawn' as const), agent: id, parent: id }),
    fc.record({
      kind: fc.constant('heartbeat' as const),
      agent: id,
      tokens: fc.nat({ max: 9 }),
      errors: fc.nat({ max: 2 }),
    }),
    fc.record({ kind: fc.constant('stop' as const), agent: id, now: fc.boolean() }),
    fc.record({
      kind: fc.constant('leave' as const),
      agent: id,
      children: fc.constantFrom('refuse', 'adopt', 'remove'),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 600 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const { host, session } = await begin()
      await register(session, 'a')
      let spent = 0
      for (const { kind, ...input } of commands) {
        if ('ms' in input) {
          host.advance(input.ms)
          continue
        }
        const types = kind === 'register' || kind === 'spawn' ? { type: `t${input.agent}`, ttl_ms: TTL } : {}
        const answer = await session.run(`agent.${kind}`, { ...input, ...types })
        if (answer.kind === 'accepted' && 'tokens' in input) spent += input.tokens
        check(slice(session), spent)
      }
    }),
    { numRuns: 100 },
  )
})

function check({ active, leases, types, tokens, gone }: AgentsSlice, spent: number): void {
  const counted: Record<string, number> = {}
  for (const { agent_type } of Object.values(active)) counted[agent_type] = (counted[agent_type] ?? 0) + 1
  expect(types).toEqual(counted)
  expect(tokens).toBe(spent)
  expect(leases.size).toBe(Object.keys(active).length)
  expect(gone.length).toBeLessThanOrEqual(50)
  for (const [id, { context, depth, expires, health }] of Object.entries(active)) {
    const parent = context.parent_agent === null ? undefined : active[context.parent_agent]
    expect(parent === undefined).toBe(context.parent_agent === null)
    expect(depth).toBe(parent === undefined ? 0 : parent.depth + 1)
    if (parent !== undefined) expect(parent.context.child_agents.filter((child) => child === id)).toHaveLength(1)
    for (const child of context.child_agents) expect(active[child]?.context.parent_agent).toBe(id)
    expect(Object.values(leases.slots)).toContainEqual([expires, id])
    expect(health.performance_score).toBeGreaterThanOrEqual(0)
    expect(health.performance_score).toBeLessThanOrEqual(1)
  }
}

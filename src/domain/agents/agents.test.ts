import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { AgentInstance, AgentsSlice, AgentStatus } from './events.ts'

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

type Place = AgentStatus | 'absent' | 'gone'
type Command =
  | 'register'
  | 'resume'
  | 'spawn under it'
  | 'heartbeat'
  | 'report idle'
  | 'report busy'
  | 'report blocked'
  | 'assign'
  | 'stop'
  | 'stop now'
  | 'leave'

const arrive: Record<Place, (session: Session) => Promise<unknown>> = {
  absent: () => Promise.resolve(),
  gone: async (session) => {
    await register(session, 'a')
    await session.run('agent.leave', { agent: 'a' })
  },
  initializing: (session) => register(session, 'a'),
  idle: async (session) => {
    await register(session, 'a')
    await session.run('agent.heartbeat', { agent: 'a', status: 'idle' })
  },
  busy: async (session) => {
    await register(session, 'a')
    await session.run('agent.heartbeat', { agent: 'a', status: 'busy', task: 'task-1' })
  },
  blocked: async (session) => {
    await register(session, 'a')
    await session.run('agent.heartbeat', { agent: 'a', status: 'blocked', reason: 'no key' })
  },
  terminating: async (session) => {
    await register(session, 'a')
    await session.run('agent.stop', { agent: 'a' })
  },
}

const run: Record<Command, readonly [operation: string, input: object]> = {
  register: ['agent.register', { agent: 'a', type: 'worker' }],
  resume: ['agent.register', { agent: 'a', type: 'worker', resume: true }],
  'spawn under it': ['agent.spawn', { agent: 'b', type: 'worker', parent: 'a' }],
  heartbeat: ['agent.heartbeat', { agent: 'a' }],
  'report idle': ['agent.heartbeat', { agent: 'a', status: 'idle' }],
  'report busy': ['agent.heartbeat', { agent: 'a', status: 'busy' }],
  'report blocked': ['agent.heartbeat', { agent: 'a', status: 'blocked' }],
  assign: ['agent.assign', { agent: 'a', resources: ['gpu'] }],
  stop: ['agent.stop', { agent: 'a' }],
  'stop now': ['agent.stop', { agent: 'a', now: true }],
  leave: ['agent.leave', { agent: 'a' }],
}

/** The status it has then, or a code. */
const table: Record<Place, Record<Command, string>> = {
  absent: row('initializing', 'initializing', 'NOT_FOUND', { none: 'NOT_FOUND' }),
  gone: row('initializing', 'initializing', 'NOT_FOUND', { none: 'LEASE_LOST' }),
  initializing: row('LEASE_HELD', 'initializing', 'initializing', { heartbeat: 'idle', assign: 'initializing' }),
  idle: row('LEASE_HELD', 'initializing', 'idle', { heartbeat: 'idle', assign: 'idle' }),
  busy: row('LEASE_HELD', 'initializing', 'busy', { heartbeat: 'busy', assign: 'busy' }),
  blocked: row('LEASE_HELD', 'initializing', 'blocked', { heartbeat: 'blocked', assign: 'blocked' }),
  terminating: {
    ...row('LEASE_HELD', 'initializing', 'AGENT_STATUS_INVALID', {
      heartbeat: 'terminating',
      assign: 'AGENT_STATUS_INVALID',
    }),
    'report idle': 'terminating',
    'report busy': 'terminating',
    'report blocked': 'terminating',
  },
}

type Rest = { readonly none: string } | { readonly heartbeat: string; readonly assign: string }

function row(first: string, resume: string, spawn: string, rest: Rest): Record<Command, string> {
  const none = 'none' in rest ? rest.none : undefined
  return {
    register: first,
    resume,
    'spawn under it': spawn,
    heartbeat: 'none' in rest ? rest.none : rest.heartbeat,
    'report idle': none ?? 'idle',
    'report busy': none ?? 'busy',
    'report blocked': none ?? 'blocked',
    assign: 'none' in rest ? rest.none : rest.assign,
    stop: none ?? 'terminating',
    'stop now': none ?? 'absent',
    leave: none ?? 'absent',
  }
}

describe('A7 every status meets every command', () => {
  for (const [place, cells] of Object.entries(table)) {
    for (const [command, then] of Object.entries(cells)) {
      test(`${place}: ${command} → ${then}`, async () => {
        const { session } = await begin()
        await arrive[place as Place](session)
        const [operation, input] = run[command as Command]
        const answer = await session.run(operation, input)
        expect(answer.kind === 'refused' ? answer.code : (agent(session, 'a')?.status ?? 'absent')).toBe(then)
      })
    }
  }
})

describe('A1 an agent is there while its lease lasts', () => {
  test('up to its last millisecond; then the next operation removes it, and it learns why', async () => {
    const { host, session } = await begin()
    await register(session, 'a')
    host.advance(TTL)
    expect(await code(session, 'agent.heartbeat', { agent: 'a' })).toBe('accepted')
    host.advance(TTL + 1)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(names(session)).toEqual([])
    expect(slice(session).gone).toMatchObject([{ id: 'a', cause: 'timeout' }])
    expect(await session.run('agent.heartbeat', { agent: 'a' })).toMatchObject({
      code: 'LEASE_LOST',
      details: { cause: 'timeout' },
    })
  })

  test('reap removes those who have just lost theirs, and who is below them', async () => {
    const { host, session } = await begin()
    await register(session, 'a')
    await register(session, 'b', 'a', { ttl_ms: 10 * TTL })
    host.advance(TTL + 1)
    expect(await session.run('agent.reap')).toMatchObject({
      events: ['a', 'b'].map((id) => ({ type: 'agent.removed', data: { id } })),
    })
    expect(names(session)).toEqual([])
  })

  test('one that was stopped and ended without a word was stopped, not lost', async () => {
    const { host, session } = await begin()
    await register(session, 'a')
    await session.run('agent.stop', { agent: 'a', reason: 'enough' })
    host.advance(TTL + 1)
    await session.run('agent.reap')
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(slice(session).gone).toMatchObject([{ id: 'a', cause: 'stopped' }])
  })
})

describe('A2 fencing', () => {
  test('who was resumed by another process is refused, with the token that counts', async () => {
    const { session } = await begin()
    const first = await register(session, 'a')
    const second = await register(session, 'a', undefined, { resume: true })
    expect(second).toBeGreaterThan(first)
    for (const operation of ['agent.heartbeat', 'agent.leave'])
      expect(await session.run(operation, { agent: 'a', token: first })).toMatchObject({ code: 'LEASE_LOST' })
    expect(await code(session, 'agent.heartbeat', { agent: 'a', token: second })).toBe('accepted')
  })

  test('who takes the place of an agent is of its type and under its parent', async () => {
    const { session } = await begin()
    for (const id of ['lead', 'other']) await register(session, id)
    await register(session, 'a', 'lead')
    const resume = (operation: string, more: object) =>
      code(session, operation, { agent: 'a', type: 'worker', resume: true, ...more })
    expect(await resume('agent.register', { type: 'lead' })).toBe('INPUT_INVALID')
    expect(await resume('agent.spawn', { parent: 'other' })).toBe('INPUT_INVALID')
    expect(await resume('agent.spawn', { parent: 'lead' })).toBe('accepted')
    expect(await resume('agent.register', {})).toBe('accepted')
  })

  test('what it says of its place and its limits counts, and the rest stays', async () => {
    const { session } = await begin()
    await register(session, 'a', undefined, { max_tokens: 10, max_memory_mb: 5, resources: ['port'], worktree: '/a' })
    await register(session, 'a', undefined, { resume: true, max_tokens: 20, worktree: '/b' })
    expect(agent(session, 'a')).toMatchObject({
      limits: { max_tokens: 20, max_memory_mb: 5 },
      assigned_resources: ['port'],
      context: { worktree: '/b' },
    })
  })
})

/*
 * Who works in a session, under whom, and until when that may be believed.
 *
 *   absent ──register, spawn──► initializing ──► idle ⇄ busy ⇄ blocked ⇄ idle
 *                                    │             │      │      │
 *                                    └─────────────┴──────┴──────┴──stop──► terminating
 *   from everywhere ──leave, lease over, parent gone──► absent
 *
 * A1. An agent is there only while its lease lasts: a heartbeat renews it; the next operation after its end removes it.
 * A2. Its token is the sequence number of the commit that registered or resumed it, so it only grows; another is refused.
 * A3. No agent is there whose parent is not: who is below one that goes, goes with it in the same commit, or is adopted.
 * A4. An agent that goes is removed, never set to null; the tasks that it had claimed go back to pending with it.
 * A5. Limits of session, pool, parent and depth hold at every registration; lowering one removes nobody. Who is over a limit of
 *     its own is blocked, until a heartbeat finds it below.
 * A6. `types`, `leases` and `tokens` are what counting the agents would give.
 * A7. A terminating agent only goes; its heartbeats are still answered, so that it hears of it.
 */
import { given } from '../../kernel/json/members.ts'
import type { Edit } from '../../kernel/state/edit.ts'
import { emptyHeap, put, take } from '../../kernel/state/heap.ts'
import { defineModule, sliceReader, type Meta } from '../../kernel/state/module.ts'
import { ending } from './ending.ts'
import type { AgentEvent, AgentInstance, AgentsSlice, Heartbeat, Pool, Registered, Removed } from './events.ts'
import { scaling } from './scaling.ts'

const GONE_KEPT = 50
const SAMPLES_KEPT = 12

export const agentsModule = defineModule<AgentsSlice, AgentEvent>({
  slice: 'execution.agents',
  initial: () => ({ active: {}, pool: {}, leases: emptyHeap(), types: {}, tokens: 0, gone: [] }),
  evolve: {
    'agent.registered': (slice, data, edit, meta) => register(slice, edit.own(data), edit, meta),
    'agent.resumed': (slice, data, edit, { at }) => {
      const { id, token, ttl_ms, expires, worktree, resources, limits } = edit.own(data)
      change(slice, id, edit, (agent) => ({
        token,
        ttl_ms,
        expires,
        status: 'initializing',
        reason: null,
        health: { ...agent.health, last_heartbeat: at },
        assigned_resources: resources ?? agent.assigned_resources,
        context: { ...agent.context, ...given({ worktree }) },
        limits: { ...agent.limits, ...limits },
      }))
      if (agentIn(slice, id) !== undefined) put(slice.leases, id, expires, edit)
    },
    'agent.heartbeat-received': (slice, data, edit, meta) => beat(slice, edit.own(data), edit, meta),
    'agent.limit-reached': (slice, { id, limit, used, most }, edit) =>
      change(slice, id, edit, () => ({ status: 'blocked', reason: limitReason(limit, used, most) })),
    'agent.stopping': (slice, { id, reason }, edit) =>
      change(slice, id, edit, () => ({ status: 'terminating', reason })),
    'agent.assigned': (slice, { id, resources, task }, edit) =>
      change(slice, id, edit, () => ({
        ...(resources === undefined ? {} : { assigned_resources: edit.own(resources) }),
        ...(task === undefined ? {} : { current_task: task }),
      })),
    'agent.adopted': (slice, { id, parent, depth }, edit) => {
      const agent = agentIn(slice, id)
      if (agent === undefined) return
      leaveParent(slice, id, agent.context.parent_agent, edit)
      change(slice, id, edit, ({ context }) => ({ depth, context: { ...context, parent_agent: parent } }))
      joinParent(slice, id, parent, edit)
    },
    'agent.removed': (slice, data, edit, meta) => remove(slice, data, edit, meta),
    'pool.set': (slice, config, edit) => {
      const { target, samples, last_decision } = poolIn(slice, config.agent_type) ?? NO_DEMAND
      const within = Math.min(config.max_instances, Math.max(config.min_instances, target))
      edit.set(slice.pool, config.agent_type, { ...edit.own(config), target: within, samples, last_decision })
    },
    'pool.removed': (slice, { agent_type }, edit) => edit.remove(slice.pool, agent_type),
    'pool.sampled': (slice, { agent_type, at_ms, depth }, edit) => {
      const pool = poolIn(slice, agent_type)
      if (pool === undefined) return
      const samples = [...pool.samples.slice(1 - SAMPLES_KEPT), [at_ms, depth]]
      edit.set(slice.pool, agent_type, { ...pool, samples })
    },
    'pool.scaled': (slice, { agent_type, to, reason }, edit, { at }) => {
      const pool = poolIn(slice, agent_type)
      if (pool === undefined) return
      edit.set(slice.pool, agent_type, { ...pool, target: to, last_decision: { at, to, reason } })
    },
  },
  expire: (root, now, _seq, operation) => {
    const slice = agentsOf(root)
    // Who goes gives tasks back, and a restore changes them: it is told behind that (R3 of restore.ts).
    return slice === undefined || operation === 'session.restore' ? [] : ending(root, slice, now)
  },
  deadlines: 'execution.agents.leases',
  follow: (root, now) => {
    const slice = agentsOf(root)
    return slice === undefined ? [] : scaling(root, slice, now)
  },
})

const NO_DEMAND: Pick<Pool, 'target' | 'samples' | 'last_decision'> = { target: 0, samples: [], last_decision: null }

/** Why a limit of its own blocks an agent. */
const limitReason = (limit: string, used: number, most: number): string => `${limit}: ${used} of ${most}`

export const isLimitReason = (reason: string | null): boolean => /^max_[a-z_]+: \d+ of \d+$/.test(reason ?? '')

export const agentsOf = sliceReader<AgentsSlice>('execution.agents')

export function agentIn(slice: AgentsSlice | undefined, id: string): AgentInstance | undefined {
  return slice !== undefined && Object.hasOwn(slice.active, id) ? slice.active[id] : undefined
}

export function poolIn(slice: AgentsSlice | undefined, type: string): Pool | undefined {
  return slice !== undefined && Object.hasOwn(slice.pool, type) ? slice.pool[type] : undefined
}

export const runningOf = (slice: AgentsSlice | undefined, type: string): number =>
  slice !== undefined && Object.hasOwn(slice.types, type) ? (slice.types[type] ?? 0) : 0

function change(
  slice: AgentsSlice,
  id: string,
  edit: Edit,
  update: (agent: AgentInstance) => Partial<AgentInstance>,
): void {
  const agent = agentIn(slice, id)
  if (agent !== undefined) edit.set(slice.active, id, { ...agent, ...update(agent) })
}

function register(slice: AgentsSlice, data: Registered, edit: Edit, { at }: Meta): void {
  const { id, token, session, agent_type, parent, depth, ttl_ms, expires, worktree, resources, limits } = data
  const agent: AgentInstance = {
    session_id: session,
    agent_type,
    spawned_at: at,
    status: 'initializing',
    current_task: null,
    assigned_resources: resources,
    context: {
      ...(worktree === null ? {} : { worktree }),
      parent_agent: parent,
      child_agents: [],
      memory_usage_mb: 0,
      token_usage: 0,
    },
    health: { last_heartbeat: at, error_count: 0, performance_score: 1 },
    token,
    depth,
    ttl_ms,
    expires,
    reason: null,
    limits,
    hour: { from: expires - ttl_ms, tokens: 0 },
  }
  edit.set(slice.active, id, agent)
  edit.set(slice.types, agent_type, runningOf(slice, agent_type) + 1)
  put(slice.leases, id, expires, edit)
  joinParent(slice, id, parent, edit)
}

function beat(slice: AgentsSlice, data: Heartbeat, edit: Edit, { at }: Meta): void {
  const { id, expires, status, reason, task, tokens, errors, memory_mb, score, hour } = data
  if (agentIn(slice, id) === undefined) return
  change(slice, id, edit, ({ context, health }) => ({
    expires,
    status,
    reason,
    current_task: task,
    context: { ...context, memory_usage_mb: memory_mb, token_usage: context.token_usage + tokens },
    health: { last_heartbeat: at, error_count: health.error_count + errors, performance_score: score },
    hour,
  }))
  put(slice.leases, id, expires, edit)
  if (tokens > 0) edit.set(asContainer(slice), 'tokens', slice.tokens + tokens)
}

/** A4 */
function remove(slice: AgentsSlice, { id, cause, reason, parent, task }: Removed, edit: Edit, { at, seq }: Meta): void {
  const agent = agentIn(slice, id)
  if (agent === undefined) return
  const { agent_type } = agent
  edit.remove(slice.active, id)
  take(slice.leases, id, edit)
  const left = runningOf(slice, agent_type) - 1
  if (left > 0) edit.set(slice.types, agent_type, left)
  else edit.remove(slice.types, agent_type)
  leaveParent(slice, id, parent, edit)
  const gone = { id, agent_type, cause, reason, parent, task, at, seq }
  edit.set(asContainer(slice), 'gone', [...slice.gone.slice(1 - GONE_KEPT), gone])
}

function joinParent(slice: AgentsSlice, id: string, parent: string | null, edit: Edit): void {
  if (parent === null) return
  change(slice, parent, edit, ({ context }) => ({
    context: { ...context, child_agents: [...context.child_agents, id] },
  }))
}

function leaveParent(slice: AgentsSlice, id: string, parent: string | null, edit: Edit): void {
  if (parent === null) return
  change(slice, parent, edit, ({ context }) => ({
    context: { ...context, child_agents: context.child_agents.filter((child) => child !== id) },
  }))
}

function asContainer(slice: AgentsSlice): Record<string, unknown> {
  // The slice is plain JSON; its interface only names the members.
  return slice as unknown as Record<string, unknown>
}

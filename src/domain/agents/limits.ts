/* A5 of agents.ts: who may come, and under whom. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { given } from '../../kernel/json/members.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { Budget } from '../organization/events.ts'
import { agentIn, agentsOf, poolIn, runningOf } from './agents.ts'
import type { AgentEvent, AgentInstance, AgentLimits } from './events.ts'

type State = Readonly<Tree>

const MINUTE_MS = 60_000
/** `budget set` takes no more. */
const MOST_AGENTS = 20

export interface Register {
  readonly agent: string
  readonly type: string
  readonly parent: string | null
  readonly ttl_ms: number
  readonly worktree?: string | undefined
  readonly resources: readonly string[]
  readonly limits: AgentLimits
  /** A new process takes the place of one that may still be there. */
  readonly resume: boolean
}

export function decideRegister(state: State, input: Register, { now, seq }: Context): Accepted<AgentEvent> | Refusal {
  const { agent: id, type, parent, ttl_ms, resources } = input
  const slice = agentsOf(state)
  const there = agentIn(slice, id)
  if (there !== undefined) return decideResume(there, input, { now, seq })
  const refusal = underParent(state, input) ?? noRoom(state, type, now)
  if (refusal !== undefined) return refusal
  const depth = parent === null ? 0 : (agentIn(slice, parent)?.depth ?? 0) + 1
  const limits = { ...poolIn(slice, type)?.resource_limits, ...input.limits }
  const worktree = input.worktree ?? null
  const lease = { token: seq, ttl_ms, expires: now + ttl_ms }
  const session = sessionIdOf(state)
  return accept({
    type: 'agent.registered',
    data: { id, ...lease, session, agent_type: type, parent, depth, worktree, resources: [...resources], limits },
  })
}

/** A2: the process before loses its token. */
function decideResume(
  there: AgentInstance,
  { agent: id, type, parent, ttl_ms, resume, worktree, resources, limits }: Register,
  { now, seq }: Pick<Context, 'now' | 'seq'>,
): Accepted<AgentEvent> | Refusal {
  const { expires, agent_type, context } = there
  if (!resume)
    return refuse('LEASE_HELD', `agent "${id}" is registered for ${Math.ceil((expires - now) / 1000)} s more`, {
      hint: `choose another name, or add --resume when this process takes its place`,
      details: { expires },
    })
  if (type !== agent_type) return another(id, `of type "${agent_type}", not "${type}"`)
  if (parent !== null && parent !== context.parent_agent)
    return another(id, `below ${context.parent_agent ?? 'nobody'}, not below ${parent}`)
  const told = given({
    worktree,
    resources: resources.length === 0 ? undefined : [...resources],
    limits: Object.keys(limits).length === 0 ? undefined : limits,
  })
  return accept({ type: 'agent.resumed', data: { id, token: seq, ttl_ms, expires: now + ttl_ms, ...told } })
}

const another = (id: string, why: string): Refusal =>
  refuse('INPUT_INVALID', `agent "${id}" is ${why}`, {
    hint: `choose another name, or let it go first: steadfold agent leave ${id}`,
  })

function underParent(state: State, { parent, agent }: Register): Refusal | undefined {
  if (parent === null) return undefined
  const above = agentIn(agentsOf(state), parent)
  if (above === undefined)
    return refuse('NOT_FOUND', `no agent "${parent}" to stand above "${agent}"`, { hint: 'steadfold agent list' })
  if (above.status === 'terminating')
    return refuse('AGENT_STATUS_INVALID', `agent "${parent}" is terminating: it leads nobody new`, {
      hint: 'spawn under another parent: steadfold agent list',
    })
  const { max_children: most } = above.limits
  const { length: children } = above.context.child_agents
  if (most !== undefined && children >= most)
    return reached(
      `agent "${parent}" leads ${children} of ${most} agents`,
      'wait for one of them to end, or spawn under another parent',
    )
  const deepest = budgetOf(state).max_delegation_depth
  if (deepest !== undefined && above.depth + 1 > deepest)
    return reached(
      `"${agent}" would stand below ${above.depth + 1} agents; at most ${deepest} are allowed`,
      `spawn under one that stands higher, or raise it: ${budget('max-delegation-depth', above.depth + 1)}`,
    )
  return undefined
}

function noRoom(state: State, type: string, now: number): Refusal | undefined {
  const slice = agentsOf(state)
  const { max_concurrent_agents: agents, token_budget: tokens, time_budget_minutes: minutes } = budgetOf(state)
  const running = slice?.leases.size ?? 0
  if (agents !== undefined && running >= agents)
    return reached(
      `the session has ${running} of ${agents} agents`,
      running < MOST_AGENTS
        ? `wait for one to end, or raise it: ${budget('max-concurrent-agents', running + 1)}`
        : 'wait for one to end',
    )
  const used = slice?.tokens ?? 0
  if (tokens !== undefined && used >= tokens)
    return reached(
      `the session has used ${used} of ${tokens} tokens`,
      // What was used is never given back.
      `raise it: ${budget('token-budget', Math.max(used + 1, 2 * tokens))}`,
    )
  const spent = (now - startOf(state)) / MINUTE_MS
  if (minutes !== undefined && spent >= minutes)
    return reached(
      `the session has run ${Math.floor(spent)} of ${minutes} minutes`,
      `raise it: ${budget('time-budget-minutes', Math.floor(spent) + Math.max(60, minutes))}`,
    )
  const most = poolIn(slice, type)?.max_instances
  const same = runningOf(slice, type)
  return most !== undefined && same >= most
    ? reached(
        `pool "${type}" has ${same} of ${most} agents`,
        `wait for one to end, or set the pool anew with a larger --max: steadfold pool set ${type}; pool list shows what it is`,
      )
    : undefined
}

const reached = (message: string, hint: string): Refusal => refuse('LIMIT_REACHED', message, { hint })

const budget = (flag: string, most: number): string => `steadfold budget set --${flag} ${most}`

const budgetOf = (state: State): Budget =>
  sliceOf<{ readonly global_settings: Budget }>(state, 'organization')?.global_settings ?? {}

interface Begun {
  readonly id: string
  readonly created_at: string
}

export const sessionIdOf = (state: State): string => sliceOf<Begun>(state, 'session')?.id ?? ''

const startOf = (state: State): number => Date.parse(sliceOf<Begun>(state, 'session')?.created_at ?? '')

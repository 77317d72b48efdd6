/* What may happen to an agent in which status: one function an operation, A1–A7 of agents.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { agentIn, agentsOf, isLimitReason } from './agents.ts'
import { below, removals, returns, type Ending } from './ending.ts'
import type {
  AgentEvent,
  AgentInstance,
  AgentLimits,
  AgentsSlice,
  AgentStatus,
  GoneCause,
  Heartbeat,
} from './events.ts'
import { nextScore } from './health.ts'
import { sessionIdOf } from './limits.ts'

type Decided = Accepted<Ending> | Refusal
type State = Readonly<Tree>
type Reported = 'idle' | 'busy' | 'blocked'

const HOUR_MS = 3_600_000

/** A7: where a heartbeat may bring an agent. */
const MOVES: Readonly<Record<AgentStatus, readonly AgentStatus[]>> = {
  initializing: ['idle', 'busy', 'blocked', 'terminating'],
  idle: ['busy', 'blocked', 'terminating'],
  busy: ['idle', 'blocked', 'terminating'],
  blocked: ['idle', 'busy', 'terminating'],
  terminating: [],
}

interface Beat {
  readonly agent: string
  readonly token?: number | undefined
  readonly status?: Reported | undefined
  readonly reason?: string | undefined
  readonly task?: string | null | undefined
  readonly tokens: number
  readonly errors: number
  readonly memory_mb?: number | undefined
}

export function decideHeartbeat(state: State, input: Beat, { now }: Context): Decided {
  const agent = agentIn(agentsOf(state), input.agent)
  if (agent === undefined) return absent(state, input.agent)
  const stale = staleToken(input.agent, agent, input.token)
  if (stale !== undefined) return stale
  const data = freed(agent, input, beatOf(agent, input, now))
  const beat: AgentEvent = { type: 'agent.heartbeat-received', data }
  const over = data.status === 'terminating' ? undefined : exceeded(agent, data)
  if (over === undefined) return accept(beat)
  return accept(beat, { type: 'agent.limit-reached', data: { id: input.agent, token: agent.token, ...over } })
}

function beatOf(agent: AgentInstance, input: Beat, now: number): Heartbeat {
  const { token, ttl_ms, health, context, hour, current_task } = agent
  const { tokens, errors, memory_mb, task } = input
  const status = nextStatus(agent, input)
  const kept = now - hour.from < HOUR_MS
  return {
    id: input.agent,
    token,
    expires: now + ttl_ms,
    status,
    reason: input.reason ?? (status === agent.status ? agent.reason : null),
    task: task === undefined ? (input.status === 'idle' ? null : current_task) : task,
    tokens,
    errors,
    memory_mb: memory_mb ?? context.memory_usage_mb,
    score: nextScore(health.performance_score, errors),
    hour: kept ? { from: hour.from, tokens: hour.tokens + tokens } : { from: now, tokens },
  }
}

/** A5: who was blocked by a limit and is below it again goes on, unless it says otherwise. */
function freed(agent: AgentInstance, input: Beat, beat: Heartbeat): Heartbeat {
  const held = beat.status === 'blocked' && isLimitReason(agent.reason)
  if (!held || input.status !== undefined || exceeded(agent, beat) !== undefined) return beat
  return { ...beat, status: beat.task === null ? 'idle' : 'busy', reason: input.reason ?? null }
}

/** The first heartbeat says that it has begun. A7: nothing leads back from terminating. */
function nextStatus({ status }: AgentInstance, { status: reported, task }: Beat): AgentStatus {
  if (status === 'terminating') return status
  const told = reported ?? (typeof task === 'string' ? 'busy' : status === 'initializing' ? 'idle' : status)
  return told
}

function exceeded({ limits, context }: AgentInstance, { memory_mb, tokens, hour }: Heartbeat) {
  const used: readonly (readonly [limit: keyof AgentLimits, used: number])[] = [
    ['max_tokens', context.token_usage + tokens],
    ['max_tokens_per_hour', hour.tokens],
    ['max_memory_mb', memory_mb],
  ]
  const over = used.find(([limit, amount]) => amount > (limits[limit] ?? Infinity))
  return over && { limit: over[0], used: over[1], most: limits[over[0]] ?? 0 }
}

/** Asks an agent, and all below it, to end; or takes them away at once. */
export function decideStop(
  state: State,
  input: { readonly agent: string; readonly now: boolean; readonly reason?: string | undefined },
): Decided {
  const slice = agentsOf(state)
  const agent = agentIn(slice, input.agent)
  if (slice === undefined || agent === undefined) return absent(state, input.agent)
  const reason = input.reason ?? null
  if (input.now) return accept(...removals(state, input.agent, { cause: 'stopped', reason }))
  const stopping = [input.agent, ...below(slice, input.agent)].flatMap((id): AgentEvent[] => {
    const each = agentIn(slice, id)
    if (each === undefined || each.status === 'terminating') return []
    return [{ type: 'agent.stopping', data: { id, token: each.token, reason } }]
  })
  return accept(...stopping)
}

interface Leave {
  readonly agent: string
  readonly token?: number | undefined
  readonly cause: Exclude<GoneCause, 'orphaned'>
  readonly reason?: string | undefined
  readonly children: 'refuse' | 'adopt' | 'remove'
}

/** A3: who goes says what becomes of those below it. */
export function decideLeave(state: State, input: Leave): Decided {
  const slice = agentsOf(state)
  const agent = agentIn(slice, input.agent)
  if (slice === undefined || agent === undefined) return absent(state, input.agent)
  const stale = staleToken(input.agent, agent, input.token)
  if (stale !== undefined) return stale
  const children = agent.context.child_agents
  const why = { cause: input.cause, reason: input.reason ?? null }
  if (children.length === 0 || input.children === 'remove') return accept(...removals(state, input.agent, why))
  if (input.children === 'refuse') {
    return refuse('AGENT_STATUS_INVALID', `agent "${input.agent}" leads ${children.join(', ')}`, {
      hint: `steadfold agent leave ${input.agent} --children adopt gives them to its parent; remove takes them away`,
      details: { children },
    })
  }
  const { current_task: task, token, context } = agent
  const gone: AgentEvent = {
    type: 'agent.removed',
    data: { id: input.agent, token, ...why, parent: context.parent_agent, task },
  }
  return accept(...adoptions(slice, input.agent, agent), gone, ...returns(state, input.agent, why))
}

/** Children go to the parent; all who stand below come a step up. */
function adoptions(slice: AgentsSlice, id: string, { context }: AgentInstance): readonly AgentEvent[] {
  return below(slice, id).flatMap((each): AgentEvent[] => {
    const agent = agentIn(slice, each)
    if (agent === undefined) return []
    const mine = agent.context.parent_agent === id
    const parent = mine ? context.parent_agent : agent.context.parent_agent
    return [{ type: 'agent.adopted', data: { id: each, parent, depth: agent.depth - 1 } }]
  })
}

export function decideAssign(
  state: State,
  {
    agent: id,
    resources,
    task,
  }: {
    readonly agent: string
    readonly resources?: readonly string[] | undefined
    readonly task?: string | null | undefined
  },
): Decided {
  const agent = agentIn(agentsOf(state), id)
  if (agent === undefined) return absent(state, id)
  if (agent.status === 'terminating') {
    return refuse('AGENT_STATUS_INVALID', `agent "${id}" is terminating: it takes nothing new`, {
      hint: 'steadfold agent list',
      details: { allowed: MOVES.terminating },
    })
  }
  const changes = {
    ...(resources === undefined ? {} : { resources: [...new Set(resources)] }),
    ...(task === undefined ? {} : { task }),
  }
  return Object.keys(changes).length === 0 ? accept() : accept({ type: 'agent.assigned', data: { id, ...changes } })
}

/** A3 for what came in from elsewhere: agents whose parent is not there. */
export function orphans(slice: AgentsSlice | undefined): readonly string[] {
  return Object.entries(slice?.active ?? {}).flatMap(([id, { context }]) =>
    context.parent_agent !== null && agentIn(slice, context.parent_agent) === undefined ? [id] : [],
  )
}

export function decideReap(state: State): Decided {
  const slice = agentsOf(state)
  if (slice === undefined) return accept()
  const seen = new Set<string>()
  return accept(
    ...orphans(slice).flatMap((id) => {
      const parent = agentIn(slice, id)?.context.parent_agent ?? ''
      return removals(state, id, { cause: 'orphaned', reason: `its parent ${parent} is gone` }, seen)
    }),
  )
}

/** A2 */
function staleToken(id: string, agent: AgentInstance, token: number | undefined): Refusal | undefined {
  if (token === undefined || token === agent.token) return undefined
  return refuse(
    'LEASE_LOST',
    `token ${token} of agent "${id}" is over: another process resumed it with ${agent.token}`,
    {
      hint: 'stop working as this agent',
      details: { token: agent.token },
    },
  )
}

/** A1: an agent that went learns why. */
function absent(state: State, id: string): Refusal {
  const slice = agentsOf(state)
  const gone = slice?.gone.findLast((each) => each.id === id)
  if (gone === undefined)
    return refuse('NOT_FOUND', `no agent "${id}" in session ${sessionIdOf(state)}`, { hint: 'steadfold agent list' })
  const why = gone.reason === null ? gone.cause : `${gone.cause}: ${gone.reason}`
  return refuse('LEASE_LOST', `agent "${id}" is gone since ${gone.at} (${why})`, {
    hint: `stop working as this agent, or register it again: steadfold agent register ${id} TYPE`,
    details: { cause: gone.cause, at: gone.at },
  })
}

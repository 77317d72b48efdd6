/* What may happen to a pool; how many agents it gets is decided in policy.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { agentsOf, poolIn, runningOf } from './agents.ts'
import type { AgentEvent, Pool, PoolConfig } from './events.ts'
import { targetOf } from './policy.ts'
import { queueOf } from './scaling.ts'

type Decided = Accepted<AgentEvent> | Refusal
type State = Readonly<Tree>

export function decideSetPool(state: State, config: PoolConfig): Decided {
  if (config.min_instances > config.max_instances) {
    return refuse('INPUT_INVALID', `a pool of at least ${config.min_instances} and at most ${config.max_instances}`, {
      hint: '--min must not be above --max',
    })
  }
  const before = poolIn(agentsOf(state), config.agent_type)
  return before !== undefined && isSame(before, config) ? accept() : accept({ type: 'pool.set', data: config })
}

export function decideRemovePool(state: State, type: string): Decided {
  const known = poolIn(agentsOf(state), type)
  return known === undefined ? noPool(type) : accept({ type: 'pool.removed', data: { agent_type: type } })
}

interface Scale {
  readonly type: string
  readonly to?: number | undefined
  readonly depth?: number | undefined
}

/** Looks at the queue and decides; the decision is an event of its own when it changes something. */
export function decideScale(state: State, { type, to, depth: given }: Scale, { now }: Context): Decided {
  const slice = agentsOf(state)
  const pool = poolIn(slice, type)
  if (pool === undefined) return noPool(type)
  if (to !== undefined && (to < pool.min_instances || to > pool.max_instances)) {
    return refuse(
      'LIMIT_REACHED',
      `pool "${type}" has ${pool.min_instances} to ${pool.max_instances} agents, not ${to}`,
      {
        hint: `set the pool anew with a ${to < pool.min_instances ? 'smaller --min' : 'larger --max'}: steadfold pool set ${type}; pool list shows what it is`,
      },
    )
  }
  const depth = given ?? queueOf(state)
  const running = runningOf(slice, type)
  const chosen = targetOf(pool, depth, now)
  const next = to === undefined ? chosen : { ...chosen, to, reason: 'set by hand' }
  const sampled: AgentEvent = {
    type: 'pool.sampled',
    data: { agent_type: type, at_ms: now, depth, running, target: next.to },
  }
  if (next.to === pool.target) return accept(sampled)
  const { scaling_policy: policy, target: from } = pool
  return accept(sampled, {
    type: 'pool.scaled',
    data: { agent_type: type, policy, from, to: next.to, running, depth, trend: next.trend, reason: next.reason },
  })
}

function isSame(pool: Pool, config: PoolConfig): boolean {
  const { target: _target, samples: _samples, last_decision: _last, ...before } = pool
  return JSON.stringify(before, MEMBERS) === JSON.stringify(config, MEMBERS)
}

/** In one order, whatever order the two were made in. */
const MEMBERS = [
  'agent_type',
  'min_instances',
  'max_instances',
  'scaling_policy',
  'resource_limits',
  'max_memory_mb',
  'max_tokens_per_hour',
  'tasks_per_agent',
]

const noPool = (type: string): Refusal =>
  refuse('NOT_FOUND', `no pool "${type}"`, { hint: `steadfold pool set ${type} --max 3` })

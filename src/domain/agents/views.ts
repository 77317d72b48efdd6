import type { Tree } from '../../kernel/state/module.ts'
import { agentsOf, runningOf } from './agents.ts'
import { claimsOf } from './ending.ts'
import type { AgentInstance, Pool } from './events.ts'
import { healthOf } from './health.ts'

type State = Readonly<Tree>

/** What a list prints of an agent; of one that says nothing, the task that it claimed first. */
export function agentRow(root: State, id: string, agent: AgentInstance, now: number) {
  const { agent_type, status, current_task, depth, context, expires, reason } = agent
  const { level, score } = healthOf(agent, now)
  return {
    id,
    type: agent_type,
    status,
    task: current_task ?? Object.keys(claimsOf(root, id))[0] ?? null,
    parent: context.parent_agent,
    depth,
    tokens: context.token_usage,
    health: level,
    score,
    lease_ms: Math.max(0, expires - now),
    reason,
  }
}

export const agentRows = (root: State, now: number) =>
  Object.entries(agentsOf(root)?.active ?? {}).map(([id, agent]) => agentRow(root, id, agent, now))

export const goneRows = (root: State) => [...(agentsOf(root)?.gone ?? [])].reverse()

export function poolRow(root: State, pool: Pool) {
  const { agent_type, scaling_policy, min_instances, max_instances, target, resource_limits, last_decision } = pool
  const running = runningOf(agentsOf(root), agent_type)
  return {
    type: agent_type,
    policy: scaling_policy,
    min: min_instances,
    max: max_instances,
    running,
    target,
    ...missing(running, target),
    limits: resource_limits,
    last_decision,
  }
}

export const poolRows = (root: State) => Object.values(agentsOf(root)?.pool ?? {}).map((pool) => poolRow(root, pool))

/** What whoever starts agents has to do. */
export const missing = (running: number, target: number) => ({
  start: Math.max(0, target - running),
  stop: Math.max(0, running - target),
})

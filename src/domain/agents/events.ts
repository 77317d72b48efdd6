import type { Heap } from '../../kernel/state/heap.ts'

/** See the table in agents.ts. */
export type AgentStatus = 'initializing' | 'idle' | 'busy' | 'blocked' | 'terminating'

/** Why an agent is no longer there. */
export type GoneCause = 'finished' | 'crashed' | 'quota' | 'timeout' | 'stopped' | 'waiting' | 'orphaned'

/** What an agent may use and how many it may lead; what is not there has no limit. */
export interface AgentLimits {
  readonly max_memory_mb?: number
  readonly max_tokens_per_hour?: number
  readonly max_tokens?: number
  readonly max_children?: number
}

export interface AgentInstance {
  readonly session_id: string
  readonly agent_type: string
  readonly spawned_at: string
  readonly status: AgentStatus
  readonly current_task: string | null
  readonly assigned_resources: readonly string[]
  readonly context: {
    readonly worktree?: string
    readonly parent_agent: string | null
    readonly child_agents: readonly string[]
    readonly memory_usage_mb: number
    readonly token_usage: number
  }
  readonly health: {
    readonly last_heartbeat: string
    readonly error_count: number
    /** From 0 to 1; see health.ts. */
    readonly performance_score: number
  }
  /** Fencing token: sequence number of the commit that registered or resumed it. */
  readonly token: number
  /** How many agents stand above it. */
  readonly depth: number
  readonly ttl_ms: number
  /** End of its lease in milliseconds since 1970. */
  readonly expires: number
  /** Why it is blocked or terminating. */
  readonly reason: string | null
  readonly limits: AgentLimits
  /** Tokens used in the hour that began at `from`. */
  readonly hour: { readonly from: number; readonly tokens: number }
}

export type ScalingPolicy = 'manual' | 'demand' | 'predictive'

export interface PoolConfig {
  readonly agent_type: string
  readonly min_instances: number
  readonly max_instances: number
  readonly scaling_policy: ScalingPolicy
  readonly resource_limits: { readonly max_memory_mb?: number; readonly max_tokens_per_hour?: number }
  /** Waiting tasks that one agent is there for. */
  readonly tasks_per_agent: number
}

/** How long the queue was, and when, in milliseconds since 1970. */
export type Sample = readonly [at: number, depth: number]

export interface Pool extends PoolConfig {
  /** How many agents there should be. */
  readonly target: number
  readonly samples: readonly Sample[]
  readonly last_decision: { readonly at: string; readonly to: number; readonly reason: string } | null
}

export interface Gone {
  readonly id: string
  readonly agent_type: string
  readonly cause: GoneCause
  readonly reason: string | null
  readonly parent: string | null
  readonly task: string | null
  readonly at: string
  /** Of the commit that told it. */
  readonly seq: number
}

export interface Of {
  readonly id: string
  readonly token: number
}

export interface Registered extends Of {
  readonly session: string
  readonly agent_type: string
  readonly parent: string | null
  readonly depth: number
  readonly ttl_ms: number
  readonly expires: number
  readonly worktree: string | null
  readonly resources: readonly string[]
  readonly limits: AgentLimits
}

/** What it leaves out stays as it was. */
export interface Resumed extends Of {
  readonly ttl_ms: number
  readonly expires: number
  readonly worktree?: string
  readonly resources?: readonly string[]
  readonly limits?: AgentLimits
}

export interface Heartbeat extends Of {
  readonly expires: number
  readonly status: AgentStatus
  readonly reason: string | null
  readonly task: string | null
  /** Since the last one. */
  readonly tokens: number
  readonly errors: number
  readonly memory_mb: number
  readonly score: number
  readonly hour: { readonly from: number; readonly tokens: number }
}

export interface Removed extends Of {
  readonly cause: GoneCause
  readonly reason: string | null
  readonly parent: string | null
  /** What it worked on; free for others. */
  readonly task: string | null
}

export interface Sampled {
  readonly agent_type: string
  readonly at_ms: number
  readonly depth: number
  readonly running: number
  readonly target: number
}

export interface Scaled {
  readonly agent_type: string
  readonly policy: ScalingPolicy
  readonly from: number
  readonly to: number
  readonly running: number
  readonly depth: number
  /** Tasks a minute by which the queue grows, or shrinks when below 0. */
  readonly trend: number
  readonly reason: string
}

export type AgentEvent =
  | { readonly type: 'agent.registered'; readonly data: Registered }
  | { readonly type: 'agent.resumed'; readonly data: Resumed }
  | { readonly type: 'agent.heartbeat-received'; readonly data: Heartbeat }
  | {
      readonly type: 'agent.limit-reached'
      readonly data: Of & { readonly limit: keyof AgentLimits; readonly used: number; readonly most: number }
    }
  | { readonly type: 'agent.stopping'; readonly data: Of & { readonly reason: string | null } }
  | {
      readonly type: 'agent.assigned'
      readonly data: { readonly id: string; readonly resources?: readonly string[]; readonly task?: string | null }
    }
  | {
      readonly type: 'agent.adopted'
      readonly data: { readonly id: string; readonly parent: string | null; readonly depth: number }
    }
  | { readonly type: 'agent.removed'; readonly data: Removed }
  | { readonly type: 'pool.set'; readonly data: PoolConfig }
  | { readonly type: 'pool.removed'; readonly data: { readonly agent_type: string } }
  | { readonly type: 'pool.sampled'; readonly data: Sampled }
  | { readonly type: 'pool.scaled'; readonly data: Scaled }

export interface AgentsSlice {
  active: Record<string, AgentInstance>
  pool: Record<string, Pool>
  /** Agent -> end of its lease. */
  leases: Heap
  /** Agents at work by type. */
  types: Record<string, number>
  /** Tokens of all agents that ever were. */
  tokens: number
  /** The last that went, the latest at the end. */
  gone: readonly Gone[]
}

import * as z from 'zod/mini'
import { byId, count, heap, maybe, millis, moment, positive, share, text, texts } from '../../kernel/state/shapes.ts'

const limits = z.object({
  max_memory_mb: maybe(positive),
  max_tokens_per_hour: maybe(positive),
  max_tokens: maybe(positive),
  max_children: maybe(count),
})

const agent_instance = z.object({
  session_id: text,
  agent_type: text,
  spawned_at: moment,
  status: z.enum(['initializing', 'idle', 'busy', 'blocked', 'terminating']),
  current_task: z.nullable(text),
  assigned_resources: texts,
  context: z.object({
    worktree: maybe(text),
    parent_agent: z.nullable(text),
    child_agents: texts,
    memory_usage_mb: count,
    token_usage: count,
  }),
  health: z.object({ last_heartbeat: moment, error_count: count, performance_score: share }),
  token: positive,
  depth: count,
  ttl_ms: positive,
  expires: millis,
  reason: z.nullable(text),
  limits,
  hour: z.object({ from: millis, tokens: count }),
})

const agent_pool_config = z.object({
  agent_type: text,
  min_instances: count,
  max_instances: positive,
  scaling_policy: z.enum(['manual', 'demand', 'predictive']),
  resource_limits: z.object({ max_memory_mb: maybe(positive), max_tokens_per_hour: maybe(positive) }),
  tasks_per_agent: positive,
  target: count,
  samples: z.array(z.tuple([millis, count])),
  last_decision: z.nullable(z.object({ at: moment, to: count, reason: text })),
})

const gone = z.object({
  id: text,
  agent_type: text,
  cause: z.enum(['finished', 'crashed', 'quota', 'timeout', 'stopped', 'waiting', 'orphaned']),
  reason: z.nullable(text),
  parent: z.nullable(text),
  task: z.nullable(text),
  at: moment,
  seq: positive,
})

const ID = /^[a-z][a-z0-9-]*$/

export const agentsParts = { agent_instance, agent_pool_config }

export const agentsSchema = z.object({
  active: byId(ID, agent_instance),
  pool: byId(ID, agent_pool_config),
  leases: heap,
  types: z.record(text, count),
  tokens: count,
  gone: z.array(gone),
})

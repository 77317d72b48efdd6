import * as z from 'zod/mini'
import { amount, count, maybe, moment, share, text } from '../../kernel/state/shapes.ts'
import { MOST_RECENT } from './recent.ts'

const percent = z.number().check(z.minimum(0), z.maximum(100))

const performance_metrics = z.object({
  session_duration_seconds: count,
  total_tokens_used: count,
  average_response_time_ms: maybe(amount),
  agent_spawn_time_ms: maybe(amount),
  state_query_time_ms: maybe(amount),
  persistence_write_time_ms: maybe(amount),
})

const utilization_metrics = z.object({
  agent_utilization_rate: share,
  memory_usage_mb: count,
  cpu_usage_percent: maybe(percent),
  active_connections: count,
  queue_depths: z.record(text, count),
})

const quality_metrics = z.object({
  test_coverage_percent: maybe(percent),
  code_quality_score: maybe(percent),
  task_completion_rate: share,
  error_rate: share,
  user_satisfaction_score: maybe(z.number().check(z.minimum(1), z.maximum(5))),
})

const event = z.object({
  id: z.guid(),
  timestamp: moment,
  type: text,
  source: text,
  severity: z.enum(['debug', 'info', 'warning', 'error', 'critical']),
  data: z.unknown(),
  correlation_id: z.nullable(text),
  session_id: text,
})

const health_check = z.object({
  name: text,
  status: z.enum(['pass', 'fail', 'warn']),
  last_checked: moment,
  response_time_ms: maybe(amount),
  details: text,
  threshold: z.object({ warning: z.number(), critical: z.number() }),
})

export const observabilityParts = { performance_metrics, utilization_metrics, quality_metrics, event, health_check }

/** Derived. */
export const observabilitySchema = z.object({
  metrics: z.object({ performance: performance_metrics, utilization: utilization_metrics, quality: quality_metrics }),
  events: z.object({ recent: z.array(event).check(z.maxLength(MOST_RECENT)), event_stream_offset: count }),
  health: z.object({
    system_status: z.enum(['healthy', 'degraded', 'critical', 'recovering']),
    checks: z.record(z.string().check(z.regex(/^[a-z_]+$/)), health_check),
  }),
})

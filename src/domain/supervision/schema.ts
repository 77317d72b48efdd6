import * as z from 'zod/mini'
import { amount, count, moment, positive, report, share, text, texts } from '../../kernel/state/shapes.ts'
import { KINDS } from './events.ts'

const worker = z.object({
  id: text,
  topic: text,
  needs: texts,
  files: texts,
  stage: z.nullable(text),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
  attempts: count,
  token: z.nullable(positive),
  by: z.optional(text),
  opened_at: moment,
  begun_at: z.nullable(moment),
  ended_at: z.nullable(moment),
  duration_ms: z.nullable(amount),
  timed: z.nullable(z.enum(['told', 'begun', 'ready'])),
  report: z.nullable(report),
  metrics: z.record(text, z.number()),
  reason: z.nullable(text),
})

const supervisor = z.object({
  id: text,
  kind: z.enum(KINDS),
  status: z.enum(['running', 'completed', 'partial_success', 'failed']),
  workers: z.record(text, worker),
  waves: z.array(texts),
  stages: texts,
  min_success: share,
  started_at: moment,
  ended_at: z.nullable(moment),
})

export const supervisionSchema = z.object({ supervisors: z.record(text, supervisor) })

export const supervisionParts = { supervisor, worker }

import * as z from 'zod/mini'
import { count, heap, millis, moment, positive, text, texts } from '../../kernel/state/shapes.ts'
import { MESSAGE_TYPES, PRIORITIES } from './events.ts'

const cause = z.enum(['deliveries', 'rejected'])
const nullable = z.nullable(text)

const stored_message = z.object({
  id: z.uuid(),
  from: text,
  to: texts,
  channel: z.enum(['direct', 'broadcast', 'emergency']),
  type: z.enum(MESSAGE_TYPES),
  priority: z.enum(PRIORITIES),
  payload: z.unknown(),
  correlation_id: nullable,
  ttl_ms: z.nullable(positive),
  expires: z.nullable(millis),
  max_deliveries: positive,
  timestamp: moment,
  refs: count,
})

const delivery = z.object({
  order: z.number(),
  attempts: count,
  lease: z.nullable(z.object({ token: positive, until: millis, by: text })),
})

const inbox = z.object({
  deliveries: z.record(text, delivery),
  ready: heap,
  dead: z.record(text, z.object({ order: z.number(), attempts: count, cause, note: nullable, at: moment })),
  open: count,
  emergencies: count,
})

export const messagesSchema = z.object({
  messages: z.record(text, stored_message),
  inboxes: z.record(text, inbox),
  deadlines: heap,
})

const handoff = z.object({
  id: z.uuid(),
  from_agent: text,
  to_agent: text,
  task_id: text,
  artifacts: texts,
  status: z.enum(['pending', 'acknowledged', 'completed', 'rejected']),
  created_at: moment,
  context: z.object({ work_completed: text, next_steps: text, notes: text }),
  acknowledged_at: z.nullable(moment),
  finished_at: z.nullable(moment),
  result: z.nullable(z.object({ artifacts: texts, notes: nullable })),
  reason: nullable,
})

export const handoffsSchema = z.record(text, handoff)

/** Derived. */
const message = z.object({
  id: z.uuid(),
  timestamp: moment,
  from: text,
  to: z.union([text, texts]),
  type: z.enum(MESSAGE_TYPES),
  priority: z.enum(PRIORITIES),
  payload: z.unknown(),
  correlation_id: nullable,
  /** Seconds. */
  ttl: z.nullable(z.int()),
})

export const queuesDocument = z.record(text, z.array(message))
export const channelsDocument = z.object({
  broadcast: z.array(message),
  emergency: z.array(message),
  handoffs: z.array(handoff),
})

export const messagesParts = { message, stored_message, handoff }

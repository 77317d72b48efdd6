import * as z from 'zod/mini'
import { count, heap, maybe, millis, moment, positive, text } from '../../kernel/state/shapes.ts'

const mode = z.enum(['exclusive', 'shared'])
const reason = z.nullable(text)

const hold = z.object({
  holder: text,
  mode,
  token: positive,
  reason,
  locked_at: moment,
  ttl_ms: positive,
  expires: millis,
})

const waiter = z.object({
  holder: text,
  mode,
  ticket: positive,
  reason,
  queued_at: moment,
  ttl_ms: positive,
  until: millis,
})

export const locksSchema = z.object({
  resources: z.record(text, z.object({ resource: text, holders: z.array(hold), queue: z.array(waiter) })),
  deadlines: heap,
})

/** Derived: the holder that came first, the others beside it. */
const resource_lock = z.object({
  resource: text,
  locked_by: text,
  locked_at: moment,
  expires_at: moment,
  lock_type: mode,
  reason: maybe(text),
  holders: z.array(z.object({ locked_by: text, locked_at: moment, expires_at: moment, token: positive })),
  waiting: count,
})

export const lockDocument = z.record(text, resource_lock)

export const locksParts = { resource_lock }

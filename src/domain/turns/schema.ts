import * as z from 'zod/mini'
import { amount, count, flag, heap, maybe, millis, moment, positive, text, texts } from '../../kernel/state/shapes.ts'
import { HUMAN_MODES, MODES, ORDERS, SEAT_STATES } from './events.ts'

const nullable = z.nullable(text)
const most = z.nullable(amount)

const config = z.object({
  name: text,
  mode: z.enum(MODES),
  order: z.enum(ORDERS),
  human: z.enum(HUMAN_MODES),
  signal: text,
  timeout_ms: amount,
  timeouts: z.record(text, amount),
  interrupt_ms: amount,
  max_turns: most,
  max_repeats: most,
  max_tokens: most,
  max_cost_usd: most,
  roles: maybe(texts),
})

const seat = z.object({
  agent: text,
  role: nullable,
  priority: z.number(),
  timeout_ms: most,
  can_interrupt: flag,
  triggers: maybe(texts),
  state: z.enum(SEAT_STATES),
  since: moment,
  last_activity: z.nullable(moment),
  late: z.nullable(positive),
})

const hold = z.object({
  kind: z.enum(['pause', 'interrupt', 'guard']),
  trip: z.nullable(z.enum(['turns', 'repeated', 'ping-pong', 'tokens', 'cost'])),
  by: text,
  note: nullable,
  at: moment,
  until: z.nullable(millis),
  left: most,
})

const kept = z.object({
  seq: positive,
  at: moment,
  author: text,
  text,
  cut: flag,
  turn: z.nullable(positive),
})

const channel = z.object({
  id: text,
  config,
  queue: texts,
  seats: z.record(text, seat),
  cursor: z.int().check(z.minimum(-1)),
  turn: z.nullable(z.object({ agent: text, token: positive, started_at: moment, deadline: millis, taken: flag })),
  hold: z.nullable(hold),
  guard: z.object({ turns: count, prints: texts, tokens: amount, cost_usd: amount }),
  pending: z.array(count),
  kept: maybe(z.array(kept)),
  said: count,
  spent: z.object({ turns: count, tokens: amount, cost_usd: amount }),
  moved: count,
})

const turn_message = z.object({
  n: count,
  seq: positive,
  at: moment,
  author: text,
  agent: nullable,
  text,
  cut: flag,
  turn: z.nullable(positive),
  late: flag,
  posted: flag,
})

/** One that was imported has the time that its file gave. */
const entry = z.object({
  timestamp: text,
  event: text,
  agentId: maybe(text),
  channelId: maybe(text),
  details: z.record(text, z.unknown()),
})

export const turnsSchema = z.object({
  channels: z.record(text, channel),
  messages: z.record(text, z.record(text, turn_message)),
  history: z.record(text, entry),
  entries: count,
  present: z.record(text, texts),
  deadlines: heap,
})

export const turnsParts = { channel, turn_message }

/* Shapes that come from outside. */
import * as z from 'zod/mini'
import { mayName } from '../../kernel/redact/placeholder.ts'
import { HUMAN_MODES, MODES, ORDERS, SEAT_STATES } from './events.ts'

const LONGEST_MS = 7 * 24 * 3_600_000

const word = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(128),
    z.regex(/^[^\p{C}\s]+$/u, 'must not hold spaces or control characters'),
    z.refine(mayName, 'is never stored'),
  )
/** Whether an operation could name a channel, or an agent, so. */
export const isName = (text: string): boolean => word.safeParse(text).success
export const channel = word
export const agent = word
export const token = z.optional(z.int().check(z.positive()))
export const duration = z.int().check(z.positive(), z.maximum(LONGEST_MS))
export const tokens = z.optional(z.int().check(z.nonnegative()))
export const cost = z.optional(z.number().check(z.nonnegative(), z.maximum(1e9)))
export const text = z.string().check(z.maxLength(1_000_000))
export const note = z.optional(z.string().check(z.minLength(1), z.maxLength(1000)))
const role = z.string().check(z.minLength(1), z.maxLength(100))
/** An empty one stands for none: that is how a shell clears them. */
const words = z.optional(z.array(z.string().check(z.maxLength(100))).check(z.maxLength(100)))
const limit = z.optional(z.int().check(z.nonnegative()))

export const settings = {
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  mode: z.optional(z.enum(MODES)),
  order: z.optional(z.enum(ORDERS)),
  human: z.optional(z.enum(HUMAN_MODES)),
  signal: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  timeout_ms: z.optional(duration),
  timeouts: z.optional(z.record(word, duration)),
  interrupt_ms: z.optional(duration),
  max_turns: limit,
  max_repeats: limit,
  max_tokens: limit,
  max_cost_usd: cost,
  roles: words,
}

export const seat = {
  role: z.optional(role),
  priority: z.optional(z.int().check(z.minimum(1), z.maximum(10))),
  timeout_ms: z.optional(duration),
  can_interrupt: z.optional(z.boolean()),
  triggers: words,
}

export const position = z.optional(z.union([z.enum(['start', 'end']), z.int().check(z.positive())]))

const time = z.optional(z.nullable(z.string()))

/** What other programs put into it beside that is passed over. */
export const orchestrationState = z.object({
  version: z.optional(z.string()),
  lastUpdated: z.optional(z.string()),
  agents: z.record(
    z.string(),
    z.object({
      state: z.enum(SEAT_STATES),
      lastStateChange: time,
      currentChannel: z.optional(z.nullable(z.string())),
      lastActivity: time,
    }),
  ),
  channels: z.record(
    z.string(),
    z.object({
      queue: z.array(z.string()),
      currentIndex: z.optional(z.int()),
      activeAgent: z.optional(z.nullable(z.string())),
      turnStartedAt: time,
      turnTimeoutAt: time,
    }),
  ),
  history: z.array(
    z.object({
      timestamp: z.string(),
      event: z.string(),
      agentId: z.exactOptional(z.string()),
      channelId: z.exactOptional(z.string()),
      details: z._default(z.record(z.string(), z.unknown()), {}),
    }),
  ),
})

import * as z from 'zod/mini'
import { amount, count, flag, heap, maybe, millis, sha256, text, texts } from '../../kernel/state/shapes.ts'
import { PHASES, REASONS } from './events.ts'

/** Seconds since 1970. */
const seconds = z.number()

const chat_event = z.object({
  id: sha256,
  pubkey: text,
  created_at: seconds,
  kind: count,
  tags: z.array(texts),
  content: text,
  sig: z.nullable(text),
})

const agent_notes = z.object({
  cursor: z.record(text, count),
  memory: z.record(text, text),
  files: z.record(text, millis),
  execution: z.object({ started: z.nullable(millis), active: z.nullable(millis), total_ms: amount }),
})

const thread = z.object({
  id: text,
  events: z.array(chat_event),
  mix: z.number(),
  authors: z.record(text, count),
  heads: z.record(text, seconds),
  missing: z.record(text, z.literal(true)),
  agents: z.record(text, agent_notes),
})

const link = z.object({
  kind: z.enum(['merge', 'fork']),
  id: text,
  author: text,
  created_at: seconds,
  from: text,
  to: text,
  event: text,
})

const template = z.object({
  title: text,
  phase: z.enum(PHASES),
  text,
  members: z.array(z.object({ author: text, role: z.enum(['user', 'agent']), name: text })),
})

export const conversationSchema = z.object({
  config: z.object({
    kinds: z.array(count),
    root_kind: count,
    post_kind: count,
    metadata_kind: count,
    advisory: flag,
  }),
  threads: z.record(text, thread),
  places: z.record(text, text),
  links: z.record(text, link),
  spoke: z.record(text, z.record(text, z.literal(true))),
  held: z.record(text, z.object({ conversation: text, event: chat_event })),
  due: heap,
  quarantine: z.record(text, z.object({ id: text, reason: z.enum(REASONS), origin: text, excerpt: text })),
  templates: z.record(text, template),
  outbox: texts,
  relays: z.record(
    text,
    z.object({
      since: seconds,
      published: z.record(text, z.nullable(text)),
      whole: maybe(z.record(text, z.literal(true))),
    }),
  ),
})

export const conversationParts = { chat_event, thread }

import * as z from 'zod/mini'
import type { Event } from '../../kernel/log/commit.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { address } from './address.ts'
import { decideAnswer } from './decide-answer.ts'
import { decideAck, decideDrop, decideReceive, decideRenew, decideReturn, decideRevive, decideSend } from './decide.ts'
import { MESSAGE_TYPES, PRIORITIES, type Delivered, type Received } from './events.ts'
import { messageRows } from './views.ts'

const LONGEST_MS = 7 * 24 * 3_600_000
const DEFAULT_LEASE_MS = 30_000
const MOST_ADDRESSES = 1000

const id = z.string().check(z.minLength(1), z.maxLength(200))
const token = z.int().check(z.positive())
const duration = z.int().check(z.positive(), z.maximum(LONGEST_MS))
const note = z.string().check(z.maxLength(2000))
const lease_ms = z._default(duration, DEFAULT_LEASE_MS)
const max_deliveries = z._default(z.int().check(z.positive(), z.maximum(1000)), 5)

const saysSomething = (payload: unknown): boolean =>
  payload !== undefined && payload !== null && !(typeof payload === 'string' && payload.trim() === '')

export const messageOperations = [
  writeOperation({
    name: 'message.send',
    summary: 'Send a message to agents, to all, or as an emergency',
    input: () =>
      z.object({
        payload: z.optional(z.unknown()),
        to: z._default(z.array(address).check(z.maxLength(MOST_ADDRESSES)), []),
        channel: z._default(z.enum(['direct', 'broadcast', 'emergency']), 'direct'),
        type: z.optional(z.enum(MESSAGE_TYPES)),
        priority: z._default(z.enum(PRIORITIES), 'normal'),
        correlation_id: z.optional(id),
        ttl_ms: z.optional(duration),
        max_deliveries,
      }),
    positional: ['payload'],
    decide: decideSend,
    answer: (events) => events.find((event) => event.type === 'message.sent')?.data,
  }),
  writeOperation({
    name: 'message.receive',
    summary: 'Take the next messages of an inbox under a lease; what is not acknowledged comes again',
    input: () =>
      z.object({
        agent: z.optional(address),
        max: z._default(z.int().check(z.positive(), z.maximum(100)), 1),
        lease_ms,
      }),
    decide: decideReceive,
    answer: (events) => events.flatMap(receivedOf),
  }),
  writeOperation({
    name: 'message.ack',
    summary: 'Say that a message has been dealt with',
    input: () => z.object({ id, token, agent: z.optional(address) }),
    positional: ['id', 'token'],
    decide: decideAck,
  }),
  writeOperation({
    name: 'message.answer',
    summary: 'Answer a message, which is dealt with by that',
    input: () =>
      z.object({
        id,
        payload: z.unknown().check(z.refine(saysSomething, 'says nothing')),
        agent: z.optional(address),
        max_deliveries,
      }),
    positional: ['id', 'payload'],
    decide: decideAnswer,
    answer: (events) => events.find((event) => event.type === 'message.sent')?.data,
  }),
  writeOperation({
    name: 'message.renew',
    summary: 'Keep a message for longer',
    input: () => z.object({ id, token, agent: z.optional(address), lease_ms }),
    positional: ['id', 'token'],
    decide: decideRenew,
  }),
  writeOperation({
    name: 'message.return',
    summary: 'Give a message back to its inbox, or put it aside for good',
    input: () =>
      z.object({
        id,
        token,
        agent: z.optional(address),
        reject: z._default(z.boolean(), false),
        note: z.optional(note),
      }),
    positional: ['id', 'token'],
    decide: decideReturn,
  }),
  writeOperation({
    name: 'message.revive',
    summary: 'Put a dead letter back into its inbox, unless its ttl is over',
    input: () => z.object({ id, agent: address }),
    positional: ['id', 'agent'],
    decide: decideRevive,
  }),
  writeOperation({
    name: 'message.drop',
    summary: 'Forget a dead letter',
    input: () => z.object({ id, agent: address }),
    positional: ['id', 'agent'],
    decide: decideDrop,
  }),
  readOperation({
    name: 'message.list',
    summary: 'What is in the inboxes, in the order in which they give it; takes nothing out',
    input: () =>
      z.object({
        agent: z.optional(address),
        status: z.optional(z.enum(['ready', 'leased', 'dead'])),
        correlation_id: z.optional(z.string()),
      }),
    read: (state, input, { now }) => messageRows(state, input, now),
  }),
]

function receivedOf({ type, data }: Event): readonly Received[] {
  if (type !== 'message.delivered') return []
  // What this type carries.
  const { id: message, agent, token: held, attempt, until, message: body } = data as Delivered
  const { expires: _expires, max_deliveries: _most, ...said } = body
  return [{ id: message, ...said, agent, token: held, attempt, until }]
}

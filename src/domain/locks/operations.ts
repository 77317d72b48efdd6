import * as z from 'zod/mini'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { mayName } from '../../kernel/redact/placeholder.ts'
import { acquired } from './answer.ts'
import { decideAcquire, decideBreak, decideRelease, decideRenew } from './decide.ts'
import { BREAK_CAUSES } from './events.ts'
import { checkedHold, lockRows } from './views.ts'

const DEFAULT_TTL_MS = 60_000
const LONGEST_MS = 7 * 24 * 3_600_000

const resource = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(512),
    z.regex(/^[^\p{Cc}]+$/u, 'must not hold control characters'),
    z.refine(mayName, 'is a name that no resource may have'),
  )
const owner = z.optional(z.string().check(z.regex(/^[\w.:-]{1,128}$/, 'is made of A-Z a-z 0-9 _ . : -')))
const token = z.int().check(z.positive())
const duration = z.int().check(z.positive(), z.maximum(LONGEST_MS))
const note = z.string().check(z.maxLength(2000))

export const lockOperations = [
  writeOperation({
    name: 'lock.acquire',
    summary: 'Take a lock, or a place in its queue',
    input: () =>
      z.object({
        resource,
        mode: z._default(z.enum(['exclusive', 'shared']), 'exclusive'),
        ttl_ms: z._default(duration, DEFAULT_TTL_MS),
        wait_ms: z._default(z.int().check(z.nonnegative(), z.maximum(LONGEST_MS)), 0),
        reason: z.optional(note),
        owner,
      }),
    positional: ['resource'],
    decide: decideAcquire,
    answer: acquired,
  }),
  writeOperation({
    name: 'lock.renew',
    summary: 'Keep a lock for longer',
    input: () => z.object({ resource, token, ttl_ms: z.optional(duration), owner }),
    positional: ['resource', 'token'],
    decide: decideRenew,
    answer: acquired,
  }),
  writeOperation({
    name: 'lock.release',
    summary: 'Give a lock back, or leave its queue',
    input: () => z.object({ resource, token: z.optional(token), owner }),
    positional: ['resource', 'token'],
    decide: decideRelease,
  }),
  writeOperation({
    name: 'lock.break',
    summary: 'Take a lock from its holder, whose token is worth nothing from then on',
    input: () => z.object({ resource, cause: z.enum(BREAK_CAUSES), token: z.optional(token), note: z.optional(note) }),
    positional: ['resource'],
    decide: decideBreak,
  }),
  readOperation({
    name: 'lock.list',
    summary: 'Who holds what, and who waits for it',
    input: () => z.object({ resource: z.optional(z.string()), holder: z.optional(z.string()) }),
    read: (state, input, { now }) => lockRows(state, input, now),
  }),
  readOperation({
    name: 'lock.check',
    summary: 'Whether a fencing token is still good',
    input: () => z.object({ resource, token }),
    positional: ['resource', 'token'],
    read: (state, { resource: name, token: held }, { now }) => checkedHold(state, name, held, now),
  }),
]

import * as z from 'zod/mini'
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { timeText } from '../../kernel/log/time.ts'
import { writeOperation } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { Lifecycle, SessionEvent } from './events.ts'
import { MOVES, notFrom } from './life.ts'
import { sessionOf } from './session.ts'

type Decided = Accepted<SessionEvent> | Refusal
type State = Readonly<Tree>

const HOUR_MS = 3_600_000
const LONGEST_HOURS = 24 * 365

export const preferences = () =>
  z.object({
    max_parallel_agents: z.optional(z.int().check(z.minimum(1), z.maximum(10))),
    auto_persistence_interval: z.optional(z.int().check(z.minimum(10))),
    consent_mode: z.optional(z.enum(['explicit', 'informed', 'automatic'])),
  })

export const lifeOperations = [
  writeOperation({
    name: 'session.activate',
    summary: 'Begin the work of a session that was set up first',
    input: () => z.object({}),
    decide: (state) => move(state, 'active', { type: 'session.activated', data: {} }, ['initializing']),
  }),
  writeOperation({
    name: 'session.tick',
    summary: 'Put on record what time alone brought about: leases, deadlines and waits that are over',
    input: () => z.object({}),
    tells: true,
    decide: () => accept(),
  }),
  writeOperation({
    name: 'session.suspend',
    summary: 'Pause a session: it takes no writes until resumed',
    input: () => z.object({}),
    decide: (state) => move(state, 'suspended', { type: 'session.suspended', data: {} }, ['active']),
  }),
  writeOperation({
    name: 'session.resume',
    summary: 'Wake a suspended session, or let one that is recovering go on',
    input: () => z.object({}),
    decide: (state) => move(state, 'active', { type: 'session.resumed', data: {} }, ['suspended', 'recovering']),
  }),
  writeOperation({
    name: 'session.terminate',
    summary: 'Let a session come to its end: what is under way may finish, nothing begins',
    input: () => z.object({ reason: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))) }),
    checkpoint: true,
    decide: (state, { reason }) =>
      move(state, 'terminating', { type: 'session.termination-begun', data: { reason: reason ?? null } }),
  }),
  writeOperation({
    name: 'session.end',
    summary: 'End a session for good; it stays readable',
    input: () => z.object({ outcome: z._default(z.enum(['completed', 'failed', 'cancelled']), 'completed') }),
    checkpoint: true,
    decide: (state, { outcome }) => {
      const ended: SessionEvent = { type: 'session.ended', data: { outcome } }
      if (statusOf(state) === 'terminating') return accept(ended)
      return accept({ type: 'session.termination-begun', data: { reason: null } }, ended)
    },
  }),
  writeOperation({
    name: 'session.extend',
    summary: 'Give a session more time, also after its time was over',
    input: () =>
      z.object({
        hours: z.optional(z.number().check(z.positive(), z.maximum(LONGEST_HOURS))),
        forever: z._default(z.boolean(), false),
      }),
    positional: ['hours'],
    decide: (state, { hours, forever }, { now }) => {
      if ((hours === undefined) !== forever)
        return refuse('INPUT_INVALID', 'either a number of hours or --forever', { hint: 'steadfold session extend 8' })
      const expiry = hours === undefined ? null : timeText(Math.round(now + hours * HOUR_MS))
      const idle = statusOf(state) !== 'terminating' && sessionOf(state)?.lifecycle.expiry === expiry
      return idle ? accept() : accept({ type: 'session.expiry-set', data: { expiry } })
    },
  }),
]

const statusOf = (state: State): Lifecycle => sessionOf(state)?.lifecycle.status ?? 'initializing'

/** S1: nothing to do when it is there already. */
function move(state: State, to: Lifecycle, event: SessionEvent, from: readonly Lifecycle[] = EVERYWHERE): Decided {
  const status = statusOf(state)
  if (status === to) return accept()
  return from.includes(status) && MOVES[status].includes(to) ? accept(event) : notFrom(status, to)
}

// Object.keys gives string[]; the keys of this table are exactly its key type.
const EVERYWHERE = Object.keys(MOVES) as readonly Lifecycle[]

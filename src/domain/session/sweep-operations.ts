/* What is given back when somebody is lost, and what leaves the state when nobody needs it: of all modules, in one commit. */
import * as z from 'zod/mini'
import { droppedBy, freedBy, type Freed, type Sweeper } from '../../kernel/care/recovery.ts'
import { accept } from '../../kernel/decision.ts'
import { writeOperation } from '../../kernel/operation/operation.ts'
import type { SessionEvent } from './events.ts'
import { lost } from './lease.ts'
import { lostIn, lostRuns } from './lost.ts'
import { causeOf } from './recovery.ts'
import { sessionOf } from './session.ts'

const DAY_MS = 24 * 60 * 60_000

const recoverInput = () =>
  z.object({
    /** Of the lease that is lost; left out when only agents are. */
    token: z.optional(z.number()),
    cause: z._default(z.enum(['crashed', 'expired']), 'expired'),
    evidence: z._default(z.array(z.string()), []),
    hold: z._default(z.boolean(), false),
    /** Runs of agent CLIs whose process is gone. */
    runs: z._default(z.array(z.string()), []),
  })

export const sweepOperations = (sweepers: readonly Sweeper[]) => [
  writeOperation({
    name: 'session.recover',
    summary: 'Release what a dead holder and lost agents held; see steadfold recover',
    input: recoverInput,
    // Who is lost by time alone has gone before it decides; that is what was asked for.
    tells: true,
    decide: (state, { token, cause, evidence, hold, runs }, { now, seq, actor }) => {
      const refusal = token === undefined ? undefined : lost(state, token)
      if (refusal !== undefined) return refusal
      const recovered: SessionEvent = { type: 'session.recovered', data: { cause, evidence } }
      const held: SessionEvent = { type: 'session.recovery-begun', data: {} }
      const holder = token === undefined ? undefined : sessionOf(state)?.lease?.holder
      const gone = new Map([
        ...lostIn(state, holder === undefined ? undefined : { actor: holder, cause: causeOf(cause) }, now, runs),
        ...lostRuns(state, runs),
      ])
      return accept(
        ...(token === undefined ? [] : [recovered]),
        ...(hold ? [held] : []),
        ...eventsOf(freedBy(sweepers, state, gone, { now, seq, actor, recovers: true })),
      )
    },
  }),
  writeOperation({
    name: 'session.tidy',
    summary: 'Take out of the state what nobody needs any more; see steadfold gc',
    input: () => z.object({ older_ms: z._default(z.int().check(z.minimum(0)), DAY_MS) }),
    decide: (state, { older_ms }, { now, seq, actor }) =>
      accept(
        ...eventsOf(freedBy(sweepers, state, lostIn(state, undefined, now), { now, seq, actor, recovers: false })),
        ...eventsOf(droppedBy(sweepers, state, now - older_ms)),
      ),
  }),
]

const eventsOf = (freed: readonly Freed[]) => freed.flatMap(({ events }) => events)

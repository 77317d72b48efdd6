import * as z from 'zod/mini'
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { EVERYBODY, keyOf, wordFor } from './consent.ts'
import { modeOf } from './events.ts'
import type { Ask } from './events.ts'
import { sessionOf } from './session.ts'

type State = Readonly<Tree>

const operation = z.string().check(z.regex(/^[a-z]+\.[a-z-]+$/, 'must be an operation, such as lock.break'))
const actor = z
  .string()
  .check(
    z.maxLength(200),
    z.regex(/^(\*|(human|agent|tool):\S+)$/, 'must be agent:NAME, tool:NAME, or * for everybody'),
  )
const words = z.string().check(z.minLength(1), z.maxLength(1000))
const MOST_USES = 1000

export const consentOperations = [
  writeOperation({
    name: 'consent.ask',
    summary: 'Ask for, or announce, an operation that is gated',
    input: () => z.object({ operation, note: z.optional(words) }),
    positional: ['operation', 'note'],
    decide: (state, { operation: wanted, note }, { now, actor: asking }) => {
      const session = sessionOf(state)
      if (session === undefined || !session.consent.gated.includes(wanted)) return notGated(wanted)
      const before = wordFor(session.consent, wanted, asking)
      // Asking again neither shortens the delay nor undoes a no.
      if (before !== undefined) return before.status === 'denied' ? denied(before, asking) : accept()
      const due = modeOf(session) === 'informed' ? now + session.consent.delay_ms : null
      return accept({ type: 'consent.asked', data: { operation: wanted, actor: asking, note: note ?? null, due } })
    },
    answer: (events) => events.find((event) => event.type === 'consent.asked')?.data,
  }),
  writeOperation({
    name: 'consent.grant',
    summary: 'Allow an agent a gated operation, once unless said otherwise',
    input: () =>
      z.object({
        operation,
        for: z._default(actor, EVERYBODY),
        uses: z._default(z.int().check(z.positive(), z.maximum(MOST_USES)), 1),
      }),
    positional: ['operation'],
    decide: (state, { operation: wanted, for: whom, uses }, { actor: asking }) => {
      const refusal =
        notAPerson(asking, `grant ${wanted} --for ${quoted(whom)}`) ??
        (isGated(state, wanted) ? undefined : notGated(wanted))
      if (refusal !== undefined) return refusal
      const before = askOf(state, wanted, whom)
      if (before?.status === 'granted' && before.uses === uses) return accept()
      return accept({ type: 'consent.granted', data: { operation: wanted, actor: whom, uses } })
    },
  }),
  writeOperation({
    name: 'consent.deny',
    summary: 'Forbid an agent a gated operation until a person grants it',
    input: () => z.object({ operation, for: z._default(actor, EVERYBODY), note: z.optional(words) }),
    positional: ['operation', 'note'],
    decide: (state, { operation: wanted, for: whom, note }, { actor: asking }) => {
      const refusal =
        notAPerson(asking, `deny ${wanted} --for ${quoted(whom)}`) ??
        (isGated(state, wanted) ? undefined : notGated(wanted))
      if (refusal !== undefined) return refusal
      if (askOf(state, wanted, whom)?.status === 'denied') return accept()
      return accept({ type: 'consent.denied', data: { operation: wanted, actor: whom, reason: note ?? null } })
    },
  }),
  readOperation({
    name: 'consent.list',
    summary: 'What is gated, what was asked, and how often consent was used',
    input: () => z.object({}),
    read: (state) => {
      const session = sessionOf(state)
      if (session === undefined) return { mode: null, gated: [], asks: [], used: {} }
      const { gated, delay_ms, asks, used } = session.consent
      return { mode: modeOf(session), gated, delay_ms, asks: Object.values(asks), used }
    },
  }),
]

function askOf(state: State, wanted: string, who: string): Ask | undefined {
  const asks = sessionOf(state)?.consent.asks ?? {}
  const key = keyOf(wanted, who)
  return Object.hasOwn(asks, key) ? asks[key] : undefined
}

const isGated = (state: State, wanted: string): boolean => sessionOf(state)?.consent.gated.includes(wanted) === true

const notGated = (wanted: string): Refusal =>
  refuse('NOT_FOUND', `${wanted} is not gated in this session`, {
    hint: 'it wants no consent; what does: steadfold consent list',
  })

const denied = ({ operation: wanted, note }: Ask, who: string): Refusal =>
  refuse('CONSENT_NEEDED', `${wanted} was denied to ${who}${note === null ? '' : `: ${note}`}`, {
    hint: `a person may change that: steadfold consent grant ${wanted} --for ${quoted(who)}`,
  })

/** S5: whoever has to ask does not answer. */
function notAPerson(asking: string, answer: string): Refusal | undefined {
  if (isPerson(asking)) return undefined
  return refuse('CONSENT_NEEDED', `${asking} cannot give consent: a person does`, {
    hint: `a person does: steadfold consent ${answer}`,
  })
}

/* What a session is set to: preferences, cleanup, and which operations want consent (S5 of session.ts). */
import * as z from 'zod/mini'
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { given } from '../../kernel/json/members.ts'
import { writeOperation, type Operation } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import { nearestOf } from '../../kernel/text/nearest.ts'
import { modeOf } from './events.ts'
import type { Configured } from './events.ts'
import { preferences } from './life-operations.ts'
import { sessionOf } from './session.ts'

type State = Readonly<Tree>
type Known = () => Promise<readonly Pick<Operation, 'name' | 'kind'>[]>

const CONSENT = 'consent.'

const gatable = z.string().check(
  z.regex(/^[a-z]+\.[a-z-]+$/, 'must be an operation, such as lock.break'),
  z.refine((name) => !String(name).startsWith(CONSENT), 'is how consent is asked for and given'),
)

/** Which operations there are is known where they are put together. */
export const configureOperations = (known: Known) => [
  writeOperation({
    name: 'session.configure',
    summary: 'Set preferences, cleanup, and which operations want consent',
    input: () =>
      z.object({
        ...preferences().shape,
        auto_cleanup: z.optional(z.boolean()),
        gated: z.optional(z.array(gatable)),
        none_gated: z._default(z.boolean(), false),
        delay_ms: z.optional(z.int().check(z.nonnegative())),
      }),
    prepare: async (_history, input) => {
      if (input.gated !== undefined && input.gated.length > 0) mustBeWrites(input.gated, await known())
      return input
    },
    lasts: () => true,
    decide: (state, { auto_cleanup, gated, none_gated, delay_ms, ...preferred }, { actor }) => {
      const set = given(preferred)
      const changes: Configured = {
        ...given({ auto_cleanup, delay_ms, gated: none_gated ? [] : gated && [...new Set(gated)] }),
        ...(Object.keys(set).length === 0 ? {} : { preferences: set }),
      }
      return (
        notByItself(state, changes, actor) ??
        (Object.keys(changes).length === 0 ? accept() : accept({ type: 'session.configured', data: changes }))
      )
    },
  }),
]

/** A gate that nothing comes to would look like one that holds. */
function mustBeWrites(gated: readonly string[], known: Awaited<ReturnType<Known>>): void {
  const kinds = new Map(known.map(({ name, kind }) => [name, kind]))
  const wrong = gated.find((name) => kinds.get(name) !== 'write')
  if (wrong === undefined) return
  const writes = known.filter(({ name, kind }) => kind === 'write' && !name.startsWith(CONSENT))
  const near = nearestOf(
    wrong,
    writes.map(({ name }) => name),
  )
  const why = kinds.has(wrong) ? `${wrong} only reads, and what reads wants no consent` : `no operation "${wrong}"`
  throw new EngineError('INPUT_INVALID', `session.configure: gated: ${why}`, {
    hint: near.length === 0 ? 'steadfold schema lists the operations' : `did you mean ${near.join(', ')}?`,
    details: { field: 'gated', operation: wrong, nearest: near },
  })
}

/** S5: who has to ask does not change who has to. */
function notByItself(
  state: State,
  { gated, delay_ms, preferences: set }: Configured,
  actor: string,
): Refusal | undefined {
  const session = sessionOf(state)
  const touches = gated !== undefined || delay_ms !== undefined || set?.consent_mode !== undefined
  if (session === undefined || !touches || isPerson(actor) || session.consent.gated.length === 0) return undefined
  if (modeOf(session) === 'automatic') return undefined
  return refuse('CONSENT_NEEDED', `${actor} cannot change which operations want consent`, {
    hint: 'a person does: steadfold session configure --as human:NAME',
    details: { operation: 'session.configure', actor },
  })
}

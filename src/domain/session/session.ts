/*
 * What a session is, who holds it, and where it is in its life.
 *
 *   initializing ──activate──► active ◄──suspend, resume──► suspended
 *                                ▲ └──recover, held──► recovering ──resume──► active
 *                             extend          all of them ──terminate, expiry──► terminating
 *                                └───────────────────────────────────────────────┘ └──end──► terminated
 *
 * S1. A terminated session takes no writes; in every other state of life, only those that life.ts lists.
 * S2. At most one lease at a time; its token is the sequence number of the commit that gave it, so it only grows.
 * S3. A lease past its expiry is told lost by the next operation, whatever that is.
 * S4. A session past its expiry is terminating: what is under way may end, nothing begins; extending it takes that back.
 * S5. A gated operation is carried out only with the consent that the mode asks for, which is used up and recorded in the
 *     same commit. A person who asks has consented. What was said to everybody answers whoever was not answered by name.
 */
import type { Accepted, Refusal } from '../../kernel/decision.ts'
import { sum } from '../../kernel/redact/redact.ts'
import { defineModule, sliceOf, sliceReader, type Tree } from '../../kernel/state/module.ts'
import { cachedByText } from '../../kernel/text/cache.ts'
import { consentEvolve, consentFor, noConsent } from './consent.ts'
import type { Lease, Lifecycle, SessionEvent, SessionSlice } from './events.ts'
import { barred } from './life.ts'
import { applyBack } from './restore.ts'
import { NOWHERE, transportEvolve } from './transport.ts'

const FRESH: SessionSlice['lifecycle'] = {
  status: 'active',
  outcome: null,
  ended_at: null,
  expiry: null,
  auto_cleanup: true,
}
const ENDING: ReadonlySet<Lifecycle> = new Set(['terminating', 'terminated'])

export const sessionModule = defineModule<SessionSlice, SessionEvent>({
  slice: 'session',
  initial: () => ({
    id: '',
    name: '',
    goal: null,
    mode: 'development',
    created_at: '',
    user_context: {},
    lifecycle: { ...FRESH },
    consent: noConsent(),
    lease: null,
    marks: {},
    lineage: [],
    recoveries: 0,
    epoch: 1,
    transport: NOWHERE,
  }),
  evolve: {
    ...consentEvolve,
    ...transportEvolve,
    'session.created': (slice, { id, name, goal, mode, context, hold }, edit, { at }) => {
      const fresh = { id, name, goal, mode, created_at: at, user_context: edit.own(context) }
      for (const [key, value] of Object.entries(fresh)) edit.set(asContainer(slice), key, value)
      if (hold === true) edit.set(slice.lifecycle, 'status', 'initializing')
    },
    'session.activated': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'active'),
    'session.configured': (slice, { preferences, auto_cleanup, gated, delay_ms }, edit) => {
      const { user_context, lifecycle, consent } = slice
      if (preferences !== undefined)
        edit.set(asContainer(slice), 'user_context', {
          ...user_context,
          user_preferences: { ...user_context.user_preferences, ...preferences },
        })
      if (auto_cleanup !== undefined) edit.set(lifecycle, 'auto_cleanup', auto_cleanup)
      if (gated !== undefined) edit.set(asContainer(consent), 'gated', edit.own(gated))
      if (delay_ms !== undefined) edit.set(asContainer(consent), 'delay_ms', delay_ms)
    },
    'session.expiry-set': ({ lifecycle }, { expiry }, edit) => {
      edit.set(lifecycle, 'expiry', expiry)
      if (lifecycle.status === 'terminating') edit.set(lifecycle, 'status', 'active')
    },
    'session.expired': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'terminating'),
    'session.termination-begun': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'terminating'),
    'session.recovery-begun': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'recovering'),
    'session.renamed': (slice, { name }, edit) => edit.set(asContainer(slice), 'name', name),
    'session.suspended': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'suspended'),
    'session.resumed': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'active'),
    'session.ended': (slice, { outcome }, edit, { at }) =>
      edit.set(asContainer(slice), 'lifecycle', { ...slice.lifecycle, status: 'terminated', outcome, ended_at: at }),
    'session.marked': (slice, { name, seq }, edit) => edit.set(slice.marks, name, seq),
    'session.unmarked': (slice, { name }, edit) => edit.remove(slice.marks, name),
    'session.lease-acquired': (slice, lease, edit) => edit.set(asContainer(slice), 'lease', edit.own(lease)),
    'session.lease-renewed': (slice, { expires }, edit) => {
      if (slice.lease !== null) edit.set(asContainer(slice), 'lease', { ...slice.lease, expires })
    },
    'session.lease-released': (slice, _data, edit) => edit.set(asContainer(slice), 'lease', null),
    'session.recovered': (slice, _data, edit) => {
      edit.set(asContainer(slice), 'lease', null)
      edit.set(asContainer(slice), 'recoveries', slice.recoveries + 1)
    },
    'session.repaired': () => undefined,
    'session.redacted': (slice, { rules }, edit) =>
      edit.set(asContainer(slice), 'redactions', sum(slice.redactions ?? {}, rules)),
    'session.forked': (slice, { id, name, from }, edit) => {
      const own = asContainer(slice)
      edit.set(own, 'id', id)
      edit.set(own, 'name', name)
      edit.set(own, 'lease', null)
      edit.set(own, 'lifecycle', { ...FRESH, auto_cleanup: slice.lifecycle.auto_cleanup })
      edit.set(own, 'lineage', [...slice.lineage, edit.own(from)])
      edit.set(own, 'epoch', 1)
      edit.set(own, 'transport', NOWHERE)
    },
    'session.restored': (_slice, { changes }, edit, { root }) => applyBack(root, changes, edit),
  },
  expire: (root, now) => {
    const life = sessionOf(root)?.lifecycle
    if (life === undefined || life.expiry === null || ENDING.has(life.status) || momentOf(life.expiry) >= now) return []
    return [{ type: 'session.expired', data: { expiry: life.expiry } }]
  },
  due: (root) => {
    const life = sessionOf(root)?.lifecycle
    return life === undefined || life.expiry === null || ENDING.has(life.status) ? undefined : momentOf(life.expiry)
  },
  guard,
  marks: (root) => sliceOf<SessionSlice>(root, 'session')?.marks ?? {},
})

/** Asked before every operation. Dates of one form are in order as text is, but this one may have come from elsewhere. */
const momentOf = cachedByText(100, Date.parse)

export const sessionOf = sliceReader<SessionSlice>('session')

/** S3: what an expired lease means, for whoever looks. */
export const leaseExpired = (lease: Lease, now: number): boolean => now > lease.expires

function guard(root: Readonly<Tree>, operation: string, actor: string, now: number): Refusal | Accepted | undefined {
  const session = sessionOf(root)
  return session && (barred(session, operation) ?? consentFor(session, { operation, actor, now }))
}

function asContainer(slice: object): Record<string, unknown> {
  // The slice is plain JSON; its interface only names the members.
  return slice as Record<string, unknown>
}

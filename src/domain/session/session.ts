/*
 * What a session is, who holds it, and where it is in its life.
 *
 *   active ──suspend──► suspended ──resume──► active
 *      └────────────end (from both)────────► terminated
 *
 * S1. A terminated session takes no writes; a suspended one only what wakes, ends or marks it.
 * S2. At most one lease at a time; its token is the sequence number of the commit that gave it, so it only grows.
 * S3. A lease past its expiry is told lost by the next operation, whatever that is.
 */
import { defineModule, sliceOf, type Tree } from '../../kernel/module.ts'
import { refuse, type Refusal } from '../../kernel/operation.ts'
import type { Lease, SessionEvent } from './events.ts'
import { applyBack } from './restore.ts'

export type Lifecycle = 'active' | 'suspended' | 'recovering' | 'terminated'

export interface SessionSlice {
  id: string
  name: string
  goal: string | null
  mode: string
  created_at: string
  user_context: Readonly<Record<string, unknown>>
  lifecycle: { status: Lifecycle; outcome: string | null; ended_at: string | null }
  lease: Lease | null
  marks: Record<string, number>
  lineage: { readonly session: string; readonly seq: number; readonly hash: string }[]
  recoveries: number
}

/** What continues history elsewhere, or tells what happened to it. */
const ALWAYS: ReadonlySet<string> = new Set(['session.fork', 'session.repair'])
const WHILE_SUSPENDED: ReadonlySet<string> = new Set([
  'session.suspend',
  'session.resume',
  'session.end',
  'session.mark',
  'session.recover',
])

export const sessionModule = defineModule<SessionSlice, SessionEvent>({
  slice: 'session',
  initial: () => ({
    id: '',
    name: '',
    goal: null,
    mode: 'development',
    created_at: '',
    user_context: {},
    lifecycle: { status: 'active', outcome: null, ended_at: null },
    lease: null,
    marks: {},
    lineage: [],
    recoveries: 0,
  }),
  evolve: {
    'session.created': (slice, { id, name, goal, mode, context }, edit, { at }) => {
      const fresh = { id, name, goal, mode, created_at: at, user_context: edit.own(context) }
      for (const [key, value] of Object.entries(fresh)) edit.set(asContainer(slice), key, value)
    },
    'session.renamed': (slice, { name }, edit) => edit.set(asContainer(slice), 'name', name),
    'session.suspended': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'suspended'),
    'session.resumed': (slice, _data, edit) => edit.set(slice.lifecycle, 'status', 'active'),
    'session.ended': (slice, { outcome }, edit, { at }) =>
      edit.set(asContainer(slice), 'lifecycle', { status: 'terminated', outcome, ended_at: at }),
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
    'session.forked': (slice, { id, name, from }, edit) => {
      const own = asContainer(slice)
      edit.set(own, 'id', id)
      edit.set(own, 'name', name)
      edit.set(own, 'lease', null)
      edit.set(own, 'lifecycle', { status: 'active', outcome: null, ended_at: null })
      edit.set(own, 'lineage', [...slice.lineage, edit.own(from)])
    },
    'session.restored': (_slice, { changes }, edit, { root }) => applyBack(root, changes, edit),
  },
  guard,
  marks: (root) => sliceOf<SessionSlice>(root, 'session')?.marks ?? {},
})

export const sessionOf = (root: Readonly<Tree>): SessionSlice | undefined => sliceOf<SessionSlice>(root, 'session')

/** S3: what an expired lease means, for whoever looks. */
export const leaseExpired = (lease: Lease, now: number): boolean => now > lease.expires

function guard(root: Readonly<Tree>, operation: string): Refusal | undefined {
  const session = sessionOf(root)
  const status = session?.lifecycle.status
  if (session === undefined || status === 'active' || ALWAYS.has(operation)) return undefined
  if (status === 'suspended' && WHILE_SUSPENDED.has(operation)) return undefined
  if (status === 'suspended') {
    return refuse('SESSION_NOT_WRITABLE', `session ${session.name} is suspended`, {
      hint: `steadfold session resume ${session.name}`,
    })
  }
  return refuse(
    'SESSION_NOT_WRITABLE',
    `session ${session.name} has ended (${session.lifecycle.outcome ?? 'no outcome'})`,
    {
      hint: `steadfold session fork ${session.name} NEW-NAME goes on from it`,
    },
  )
}

function asContainer(slice: SessionSlice): Record<string, unknown> {
  // The slice is plain JSON; its interface only names the members.
  return slice as unknown as Record<string, unknown>
}

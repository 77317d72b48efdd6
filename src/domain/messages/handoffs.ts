/*
 * Work that goes from one agent to another, with what is known about it.
 *
 *   pending ──accept──► acknowledged ──complete──► completed
 *      └──────────reject────┴─────────────────────► rejected
 *
 * H1. Only these moves; completed and rejected are for good.
 * H2. Only the agent it is for moves it; people and tools may do so in its place.
 * H3. Who it is for is told of it by a message in the same commit, and who offered it of what became of it.
 * H4. Accepting one takes the claim of its task over from who offered it (K13 of tasks), in the same commit; rejecting
 *     it after that gives the claim up.
 * H5. What is called as tasks of sessions are (`task-…`) is one of this session. What is kept elsewhere has names of its own.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { Handoff, HandoffEvent, HandoffsSlice } from './events.ts'

const HANDOFFS = 'communication.handoffs'

export const handoffsModule = defineModule<HandoffsSlice, HandoffEvent>({
  slice: HANDOFFS,
  initial: () => ({}),
  evolve: {
    'handoff.created': (slice, offer, edit, { at }) =>
      edit.set(slice, offer.id, {
        ...edit.own(offer),
        status: 'pending',
        created_at: at,
        acknowledged_at: null,
        finished_at: null,
        result: null,
        reason: null,
      }),
    'handoff.acknowledged': (slice, { id }, edit, { at }) =>
      change(slice, id, edit, { status: 'acknowledged', acknowledged_at: at }),
    'handoff.completed': (slice, { id, artifacts, notes }, edit, { at }) =>
      change(slice, id, edit, {
        status: 'completed',
        finished_at: at,
        result: { artifacts: edit.own(artifacts), notes },
      }),
    'handoff.rejected': (slice, { id, reason }, edit, { at }) =>
      change(slice, id, edit, { status: 'rejected', finished_at: at, reason }),
  },
})

export const handoffsOf = (root: Readonly<Tree>): HandoffsSlice | undefined => sliceOf<HandoffsSlice>(root, HANDOFFS)

export const handoffOf = (root: Readonly<Tree>, id: string): Handoff | undefined => {
  const slice = handoffsOf(root)
  return slice !== undefined && Object.hasOwn(slice, id) ? slice[id] : undefined
}

function change(slice: HandoffsSlice, id: string, edit: Edit, update: Partial<Handoff>): void {
  const handoff = slice[id]
  if (handoff !== undefined) edit.set(slice, id, { ...handoff, ...update })
}

/* What may happen to a handoff in which status: H1–H4 of handoffs.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { TaskEvent, TasksSlice } from '../tasks/events.ts'
import { actorOf, addressOf } from './address.ts'
import { sent } from './decide.ts'
import type { Handoff, HandoffEvent, HandoffStatus, MessageEvent } from './events.ts'
import { handoffOf } from './handoffs.ts'

type Decided = Accepted<HandoffEvent | MessageEvent | TaskEvent> | Refusal
type State = Readonly<Tree>
type Move = 'accept' | 'complete' | 'reject'

const LEADS_TO: Readonly<Record<Move, HandoffStatus>> = {
  accept: 'acknowledged',
  complete: 'completed',
  reject: 'rejected',
}

/** H1 */
const MOVES: Readonly<Record<HandoffStatus, readonly Move[]>> = {
  pending: ['accept', 'reject'],
  acknowledged: ['complete', 'reject'],
  completed: [],
  rejected: [],
}

/** H4: what becomes of the claim of the task is known to the module that has the tasks. */
export interface Claims {
  readonly handOver: (
    root: State,
    passing: { readonly task: string; readonly from: string; readonly to: string },
    context: Context,
  ) => Refusal | readonly TaskEvent[]
  readonly handBack: (root: State, passing: { readonly task: string; readonly from: string }) => readonly TaskEvent[]
}

interface Offer {
  readonly to: string
  readonly task_id: string
  readonly artifacts: readonly string[]
  readonly work_completed: string
  readonly next_steps: string
  readonly notes: string
}

export function decideCreate(root: State, input: Offer, context: Context): Decided {
  const { to, task_id, artifacts, work_completed, next_steps, notes } = input
  const from = addressOf(context.actor)
  if (from === to)
    return refuse('INPUT_INVALID', `${to} cannot hand work to itself`, { hint: 'name another agent with --to' })
  if (isMissing(root, task_id)) return refuse('NOT_FOUND', `no task "${task_id}"`, { hint: 'steadfold task list' })
  const id = context.newId()
  const offer = { id, from_agent: from, to_agent: to, task_id, artifacts }
  return accept(
    { type: 'handoff.created', data: { ...offer, context: { work_completed, next_steps, notes } } },
    tell(context, { from, to, id, payload: { handoff: id, task_id, status: 'pending' } }),
  )
}

/** H5 */
const isMissing = (root: State, task: string): boolean =>
  task.startsWith('task-') && !Object.hasOwn(sliceOf<TasksSlice>(root, 'execution.tasks') ?? {}, task)

export const decideAccept =
  ({ handOver }: Claims) =>
  (root: State, { id }: { readonly id: string }, context: Context): Decided => {
    const found = movable(root, id, 'accept', context)
    if (found.kind === 'refused') return found
    if (found.done) return accept()
    const { task_id: task, from_agent, to_agent } = found.handoff
    const passed = handOver(root, { task, from: actorOf(from_agent), to: actorOf(to_agent) }, context)
    return 'kind' in passed ? passed : accept({ type: 'handoff.acknowledged', data: { id } }, ...passed)
  }

interface Completion {
  readonly id: string
  readonly artifacts: readonly string[]
  readonly notes?: string | undefined
}

export function decideComplete(root: State, { id, artifacts, notes = '' }: Completion, context: Context): Decided {
  const found = movable(root, id, 'complete', context)
  if (found.kind === 'refused') return found
  if (found.done) return accept()
  const data = { id, artifacts, notes: notes === '' ? null : notes }
  return accept({ type: 'handoff.completed', data }, report(context, found.handoff, 'completed'))
}

export const decideReject =
  ({ handBack }: Claims) =>
  (root: State, { id, reason }: { readonly id: string; readonly reason: string }, context: Context): Decided => {
    const found = movable(root, id, 'reject', context)
    if (found.kind === 'refused') return found
    if (found.done) return accept()
    const { task_id: task, to_agent, status } = found.handoff
    const back = status === 'acknowledged' ? handBack(root, { task, from: actorOf(to_agent) }) : []
    const rejected: HandoffEvent = { type: 'handoff.rejected', data: { id, reason } }
    return accept(rejected, report(context, found.handoff, 'rejected', reason), ...back)
  }

type Movable = Refusal | { readonly kind: 'movable'; readonly done: boolean; readonly handoff: Handoff }

function movable(root: State, id: string, move: Move, { actor }: Context): Movable {
  const handoff = handoffOf(root, id)
  if (handoff === undefined) return refuse('NOT_FOUND', `no handoff "${id}"`, { hint: 'steadfold handoff list' })
  const { status, to_agent } = handoff
  if (actor.startsWith('agent:') && addressOf(actor) !== to_agent)
    return refuse('LEASE_HELD', `handoff ${id} is for ${to_agent}, not for ${addressOf(actor)}`, {
      hint: `${to_agent} accepts, completes or rejects it; a person may do so in its place`,
    })
  if (status === LEADS_TO[move]) return { kind: 'movable', done: true, handoff }
  if (MOVES[status].includes(move)) return { kind: 'movable', done: false, handoff }
  return notNow(handoff, move)
}

function notNow({ id, status }: Handoff, move: Move): Refusal {
  const moves = MOVES[status]
  const allowed = moves.length === 0 ? `${status} is for good` : `allowed from ${status}: ${moves.join(', ')}`
  return refuse('HANDOFF_STATUS_INVALID', `cannot ${move} handoff ${id}, which is ${status}; ${allowed}`, {
    hint:
      moves[0] === undefined ? 'steadfold handoff create offers the work anew' : `steadfold handoff ${moves[0]} ${id}`,
    details: { id, status, moves },
  })
}

interface Told {
  readonly from: string
  readonly to: string
  readonly id: string
  readonly payload: unknown
}

/** H3 */
const tell = (context: Context, { from, to, id, payload }: Told) =>
  sent(
    {
      from,
      to: [to],
      channel: 'direct',
      type: 'handoff',
      priority: 'normal',
      payload,
      correlation_id: id,
      max_deliveries: 5,
    },
    context,
  )

const report = (context: Context, handoff: Handoff, status: HandoffStatus, reason: string | null = null) =>
  tell(context, {
    from: addressOf(context.actor),
    to: handoff.from_agent,
    id: handoff.id,
    payload: { handoff: handoff.id, task_id: handoff.task_id, status, reason },
  })

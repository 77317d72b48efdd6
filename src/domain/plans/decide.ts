/* What may happen to an epic or a sprint in which status: N1–N3 of plans.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { given } from '../../kernel/json/members.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { EpicStatus, PlanEvent, SprintStatus } from './events.ts'
import { epicOf, plansOf, sprintOf } from './plans.ts'

type Decided = Accepted<PlanEvent> | Refusal
type State = Readonly<Tree>

export const EPIC_MOVES: Readonly<Record<EpicStatus, readonly EpicStatus[]>> = {
  draft: ['approved', 'cancelled'],
  approved: ['in_progress', 'cancelled'],
  in_progress: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

export const SPRINT_MOVES: Readonly<Record<SprintStatus, readonly SprintStatus[]>> = {
  planning: ['active', 'cancelled'],
  active: ['review', 'completed', 'cancelled'],
  review: ['active', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

const VERBS: Readonly<Record<EpicStatus | SprintStatus, string>> = {
  draft: 'add',
  approved: 'approve',
  in_progress: 'start',
  planning: 'add',
  active: 'start',
  review: 'review',
  completed: 'complete',
  cancelled: 'cancel',
}

interface AddEpic {
  readonly id?: string | undefined
  readonly title: string
  readonly owner: string
  readonly description: string
  readonly features: readonly string[]
  readonly criteria: readonly string[]
  readonly weeks?: number | undefined
}

export function decideAddEpic(root: State, input: AddEpic): Decided {
  const slice = plansOf(root)
  const { title, owner, description, features, criteria: success_criteria, weeks } = input
  const id = input.id ?? freeId('epic', (each) => epicOf(slice, each) !== undefined, Object.keys(slice.epics).length)
  if (epicOf(slice, id) !== undefined) return taken('epic', id)
  const data = { id, title, owner, description, features, success_criteria }
  return accept({ type: 'epic.added', data: { ...data, ...(weeks === undefined ? {} : { estimated_weeks: weeks }) } })
}

interface UpdateEpic extends Partial<{ readonly [K in keyof Omit<AddEpic, 'id'>]: AddEpic[K] | undefined }> {
  readonly epic: string
}

export function decideUpdateEpic(root: State, { epic: id, criteria, weeks, ...rest }: UpdateEpic): Decided {
  const epic = epicOf(plansOf(root), id)
  if (epic === undefined) return noEpic(id)
  if (EPIC_MOVES[epic.status].length === 0) return ended('epic', id, epic.status)
  const data = given({ ...rest, success_criteria: criteria, estimated_weeks: weeks })
  return Object.keys(data).length === 0 ? accept() : accept({ type: 'epic.updated', data: { id, ...data } })
}

interface Move<Status> {
  readonly id: string
  readonly status: Status
  readonly reason?: string | undefined
}

export function decideMoveEpic(root: State, { id, status, reason = '' }: Move<EpicStatus>): Decided {
  const slice = plansOf(root)
  const epic = epicOf(slice, id)
  if (epic === undefined) return noEpic(id)
  if (epic.status === status) return accept()
  if (!EPIC_MOVES[epic.status].includes(status)) return notFrom('epic', epic, status, EPIC_MOVES[epic.status])
  const open = slice.active_sprints.find(({ epic_id }) => epic_id === id)
  if (status === 'completed' && open !== undefined)
    return refuse('PLAN_STATUS_INVALID', `epic "${id}" is not done: sprint "${open.id}" is in status ${open.status}`, {
      hint: `steadfold sprint ${open.status === 'planning' ? 'start' : 'complete'} ${open.id}, or cancel it`,
    })
  return accept({ type: 'epic.moved', data: { id, status, reason: reason === '' ? null : reason } })
}

interface AddSprint {
  readonly id?: string | undefined
  readonly name: string
  readonly epic: string
  readonly start: string
  readonly end: string
  readonly goals: readonly string[]
}

export function decideAddSprint(root: State, input: AddSprint): Decided {
  const slice = plansOf(root)
  const { name, epic: epic_id, start: start_date, end: end_date, goals } = input
  const epic = epicOf(slice, epic_id)
  if (epic === undefined) return noEpic(epic_id)
  if (EPIC_MOVES[epic.status].length === 0) return ended('epic', epic_id, epic.status)
  const count = slice.active_sprints.length + Object.keys(slice.past_sprints).length
  const id = input.id ?? freeId('sprint', (each) => sprintOf(slice, each) !== undefined, count)
  if (sprintOf(slice, id) !== undefined) return taken('sprint', id)
  return (
    backwards(start_date, end_date) ??
    accept({ type: 'sprint.added', data: { id, epic_id, name, start_date, end_date, goals } })
  )
}

interface UpdateSprint {
  readonly sprint: string
  readonly name?: string | undefined
  readonly start?: string | undefined
  readonly end?: string | undefined
  readonly goals?: readonly string[] | undefined
}

export function decideUpdateSprint(root: State, { sprint: id, name, start, end, goals }: UpdateSprint): Decided {
  const sprint = sprintOf(plansOf(root), id)
  if (sprint === undefined) return noSprint(id)
  if (SPRINT_MOVES[sprint.status].length === 0) return ended('sprint', id, sprint.status)
  const data = given({ name, start_date: start, end_date: end, goals })
  if (Object.keys(data).length === 0) return accept()
  return (
    backwards(start ?? sprint.start_date, end ?? sprint.end_date) ??
    accept({ type: 'sprint.updated', data: { id, ...data } })
  )
}

export function decideMoveSprint(root: State, { id, status, reason = '' }: Move<SprintStatus>): Decided {
  const sprint = sprintOf(plansOf(root), id)
  if (sprint === undefined) return noSprint(id)
  if (sprint.status === status) return accept()
  if (!SPRINT_MOVES[sprint.status].includes(status))
    return notFrom('sprint', sprint, status, SPRINT_MOVES[sprint.status])
  return accept({ type: 'sprint.moved', data: { id, status, reason: reason === '' ? null : reason } })
}

interface Assign {
  readonly sprint: string
  readonly team: string
  readonly items: readonly string[]
}

export function decideAssign(root: State, { sprint: id, team, items }: Assign): Decided {
  const sprint = sprintOf(plansOf(root), id)
  if (sprint === undefined) return noSprint(id)
  if (SPRINT_MOVES[sprint.status].length === 0) return ended('sprint', id, sprint.status)
  return accept({ type: 'sprint.team-assigned', data: { id, team, items: [...new Set(items)] } })
}

/** N3; dates of this form compare as text. */
function backwards(start: string, end: string): Refusal | undefined {
  if (start <= end) return undefined
  return refuse('INPUT_INVALID', `the sprint would end on ${end}, before it begins on ${start}`, {
    hint: 'give --start and --end in order',
  })
}

type Kind = 'epic' | 'sprint'

function notFrom(
  kind: Kind,
  { id, status }: { readonly id: string; readonly status: EpicStatus | SprintStatus },
  to: EpicStatus | SprintStatus,
  moves: readonly (EpicStatus | SprintStatus)[],
): Refusal {
  const allowed = moves.map((move) => VERBS[move])
  if (allowed[0] === undefined) return ended(kind, id, status)
  return refuse(
    'PLAN_STATUS_INVALID',
    `cannot ${VERBS[to]} ${kind} "${id}", which is ${status}; allowed: ${allowed.join(', ')}`,
    { hint: `steadfold ${kind} ${allowed[0]} ${id}`, details: { id, status, allowed } },
  )
}

const ended = (kind: Kind, id: string, status: string): Refusal =>
  refuse('PLAN_STATUS_INVALID', `${kind} "${id}" is ${status}, and stays so`, { hint: `steadfold ${kind} add` })

const taken = (kind: Kind, id: string): Refusal =>
  refuse('NAME_TAKEN', `there is ${kind === 'epic' ? 'an' : 'a'} ${kind} "${id}" already`, {
    hint: `steadfold ${kind} show ${id}`,
  })

export const noEpic = (id: string): Refusal => refuse('NOT_FOUND', `no epic "${id}"`, { hint: 'steadfold epic list' })
export const noSprint = (id: string): Refusal =>
  refuse('NOT_FOUND', `no sprint "${id}"`, { hint: 'steadfold sprint list' })

function freeId(kind: Kind, isTaken: (id: string) => boolean, count: number): string {
  let n = count + 1
  while (isTaken(`${kind}-${n}`)) n++
  return `${kind}-${n}`
}

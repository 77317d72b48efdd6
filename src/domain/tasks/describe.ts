/*
 * Tasks as they are written down: added, changed, taken over from elsewhere, archived.
 *
 * K14. Of tasks that are taken over, one that is there by id and title stays as it is; where another has the id, nothing is.
 */
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { given } from '../../kernel/json/members.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { EpicStatus, PlansSlice } from '../plans/events.ts'
import { notFound, type Decided } from './decide.ts'
import { isNode } from './dependency.ts'
import type { Described, EdgeType, Priority, TaskContext, TaskEvent, TaskStatus, TaskType } from './events.ts'
import { doneBefore } from './sweep.ts'
import { indexOf, taskOf, tasksOf } from './tasks.ts'

type State = Readonly<Tree>

interface Words {
  readonly title?: string | undefined
  readonly type?: TaskType | undefined
  readonly priority?: Priority | undefined
  readonly effort?: number | undefined
  readonly artifacts?: readonly string[] | undefined
  readonly epic?: string | undefined
  readonly sprint?: string | undefined
  readonly project?: string | undefined
  readonly team?: string | undefined
  readonly requirements?: string | undefined
  readonly criteria?: readonly string[] | undefined
}

interface Add extends Words {
  readonly title: string
  readonly id?: string | undefined
  readonly needs: readonly string[]
}

export function decideAdd(root: State, input: Add, { seq }: Context): Decided {
  const slice = tasksOf(root)
  const id = input.id ?? freeId(root, seq)
  if (taskOf(slice, id) !== undefined)
    return refuse('NAME_TAKEN', `there is a task "${id}" already`, { hint: `steadfold task show ${id}` })
  const missing = input.needs.find((node) => taskOf(slice, node) === undefined && !isNode(node))
  if (missing !== undefined) return notFound(missing)
  const unplanned = noSuchPlan(root, input)
  if (unplanned !== undefined) return unplanned
  return accept<readonly TaskEvent[]>(
    { type: 'task.added', data: { id, ...described(input) } },
    ...[...new Set(input.needs)].map((source) => wait(source, id, 'requires')),
  )
}

interface Update extends Words {
  readonly task: string
  readonly actual_effort?: number | undefined
}

export function decideUpdate(root: State, input: Update): Decided {
  const task = taskOf(tasksOf(root), input.task)
  if (task === undefined) return notFound(input.task)
  const unplanned = noSuchPlan(root, input)
  if (unplanned !== undefined) return unplanned
  const { title, type, priority, effort, actual_effort, artifacts, task: id, ...rest } = input
  const context = { ...task.context, ...contextOf(rest) }
  const added = artifacts?.filter((each) => !task.artifacts.includes(each)) ?? []
  const data = {
    ...given({ title, type, priority, estimated_effort: effort, actual_effort }),
    ...(added.length === 0 ? {} : { artifacts: [...task.artifacts, ...added] }),
    ...(Object.keys(contextOf(rest)).length === 0 ? {} : { context }),
  }
  return Object.keys(data).length === 0 ? accept() : accept({ type: 'task.updated', data: { id, ...data } })
}

/** A task as session documents have it, `status` and dependencies included. */
interface Imported {
  readonly id: string
  readonly title: string
  readonly type: TaskType
  readonly status: TaskStatus
  readonly assignee?: string | undefined
  readonly priority: Priority
  readonly estimated_effort?: number | undefined
  readonly actual_effort?: number | null | undefined
  /** Why it is blocked. */
  readonly reason?: string | undefined
  readonly artifacts: readonly string[]
  readonly created_at?: string | undefined
  readonly completed_at?: string | undefined
  readonly dependencies: readonly string[]
  readonly context: Undefinable<Partial<TaskContext>>
}

type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined }

interface Import {
  readonly tasks: readonly Imported[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly type: EdgeType }[]
}

/**
 * K5: circles come in as they are, and keep their tasks waiting. What was being worked on is pending: nobody holds it here.
 * K10: who did what is in review or completed is known, so that it does not approve it.
 * K14
 */
export function decideImport(root: State, { tasks, edges }: Import, { now }: Context): Decided {
  const slice = tasksOf(root)
  const ids = new Set(tasks.map(({ id }) => id))
  if (ids.size < tasks.length)
    return refuse('NAME_TAKEN', 'a task is there twice', { hint: 'give each task an id of its own' })
  const other = tasks.find(({ id, title }) => ![undefined, title].includes(taskOf(slice, id)?.title))
  if (other !== undefined) return taken(other.id, taskOf(slice, other.id)?.title)
  const fresh = tasks.filter(({ id }) => taskOf(slice, id) === undefined)
  const waits = [
    ...edges.map(({ from, to, type }) => (type === 'requires' ? wait(to, from, type) : wait(from, to, type))),
    ...fresh.flatMap(({ id, dependencies }) => dependencies.map((source) => wait(source, id, 'requires'))),
  ].filter(({ data }) => taskOf(slice, data.waiting)?.dependencies.includes(data.source) !== true)
  const known = (node: string) => ids.has(node) || taskOf(slice, node) !== undefined
  for (const { data } of waits) {
    if (!known(data.waiting)) return notFound(data.waiting)
    if (!known(data.source) && !isNode(data.source)) return notFound(data.source)
  }
  return accept<readonly TaskEvent[]>(
    ...fresh.map((task): TaskEvent => ({ type: 'task.added', data: brought(task, now) })),
    ...unique(waits),
    ...fresh.flatMap((task) => arrival(task, now)),
  )
}

const taken = (id: string, title = ''): Refusal =>
  refuse('NAME_TAKEN', `there is a task "${id}" already, and it is another: "${title}"`, {
    hint: `take them into a session of their own, or steadfold task update ${id} --title TITLE where it is the same`,
  })

const NOWHERE: TaskContext = { epic_id: null, sprint_id: null, project_id: null, acceptance_criteria: [] }

function brought(
  { id, title, type, priority, estimated_effort, artifacts, context, created_at, assignee, status }: Imported,
  now: number,
) {
  const known: TaskContext = { ...NOWHERE, ...given(context) }
  const doer = status === 'completed' || status === 'review' ? assignee : undefined
  const told = given({ estimated_effort, created_at: pastOf(created_at, now), assignee: doer })
  return { id, title, type, priority, ...told, artifacts, context: known }
}

const BLOCKED_THERE = 'blocked where it was imported from'

/** What is said to have been later than now was not. */
const pastOf = (at: string | undefined, now: number): string | undefined =>
  at !== undefined && Date.parse(at) <= now ? at : undefined

function arrival(
  { id, status, actual_effort = null, completed_at, reason = BLOCKED_THERE }: Imported,
  now: number,
): readonly TaskEvent[] {
  switch (status) {
    case 'completed': {
      const told = given({ completed_at: pastOf(completed_at, now) })
      return [{ type: 'task.completed', data: { id, actual_effort, artifacts: [], ...told } }]
    }
    case 'blocked':
      return [{ type: 'task.blocked', data: { id, reason } }]
    case 'cancelled':
      return [{ type: 'task.cancelled', data: { id, reason: null } }]
    case 'review':
      return [{ type: 'task.submitted', data: { id } }]
    case 'pending':
    case 'assigned':
    case 'in_progress':
      return []
  }
}

/** Done with for that long; what somebody waits for, and what a plan is made of, stays. */
export function decideArchive(root: State, { older_ms }: { readonly older_ms: number }, { now }: Context): Decided {
  const ids = doneBefore(root, now - older_ms)
  return ids.length === 0 ? accept() : accept({ type: 'task.archived', data: { ids, counted: true } })
}

export type AddedWait = Extract<TaskEvent, { type: 'dependency.added' }>

const wait = (source: string, waiting: string, type: EdgeType): AddedWait => ({
  type: 'dependency.added',
  data: { source, waiting, type },
})

/** The first word on a pair counts: `edges` say more than `dependencies`. */
function unique(waits: readonly AddedWait[]): readonly AddedWait[] {
  const seen = new Map<string, AddedWait>()
  for (const each of waits) {
    const key = `${each.data.source} ${each.data.waiting}`
    if (!seen.has(key)) seen.set(key, each)
  }
  return [...seen.values()]
}

function described({
  title = '',
  type = 'feature',
  priority = 'medium',
  effort,
  artifacts = [],
  ...rest
}: Words): Described {
  const context: TaskContext = { ...NOWHERE, ...contextOf(rest) }
  return { type, title, priority, ...given({ estimated_effort: effort }), artifacts: [...new Set(artifacts)], context }
}

function contextOf({ epic, sprint, project, team, requirements, criteria }: Words): Partial<TaskContext> {
  return given({
    epic_id: epic,
    sprint_id: sprint,
    project_id: project,
    team,
    requirements,
    acceptance_criteria: criteria,
  })
}

function noSuchPlan(root: State, { epic, sprint }: Words): Refusal | undefined {
  const plans = sliceOf<PlansSlice>(root, 'execution.workflows')
  const status = epic === undefined ? undefined : statusOfEpic(plans, epic)
  if (epic !== undefined && status === undefined)
    return refuse('NOT_FOUND', `no epic "${epic}"`, { hint: 'steadfold epic list' })
  if (status === 'completed' || status === 'cancelled')
    return refuse('PLAN_STATUS_INVALID', `epic "${epic}" is ${status}, and stays so`, { hint: 'steadfold epic list' })
  if (sprint === undefined) return undefined
  if (plans?.active_sprints.some(({ id }) => id === sprint) === true) return undefined
  return Object.hasOwn(plans?.past_sprints ?? {}, sprint)
    ? refuse('PLAN_STATUS_INVALID', `sprint "${sprint}" has ended`, { hint: 'steadfold sprint list' })
    : refuse('NOT_FOUND', `no sprint "${sprint}"`, { hint: 'steadfold sprint list' })
}

const statusOfEpic = (plans: PlansSlice | undefined, id: string): EpicStatus | undefined =>
  plans !== undefined && Object.hasOwn(plans.epics, id) ? plans.epics[id]?.status : undefined

/** By how many there were; a name that somebody gave by hand does not get in the way. */
function freeId(root: State, seq: number): string {
  const id = `task-${(indexOf(root)?.added ?? 0) + 1}`
  return taskOf(tasksOf(root), id) === undefined ? id : `${id}-${seq}`
}

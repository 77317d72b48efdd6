/* How far epics and sprints are, derived from their tasks. */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { PutAway, Task, TaskContext, TaskIndex, TasksSlice } from '../tasks/events.ts'
import type { Epic, Sprint } from './events.ts'
import { plansOf } from './plans.ts'

type State = Readonly<Tree>

export interface Progress {
  /** Tasks that were not cancelled. */
  readonly tasks: number
  readonly completed: number
  readonly blocked: number
  /** Estimated effort of what is completed; a task without an estimate counts as 1. */
  readonly velocity: number
  /** Completed of all, from 0 to 1; 0 without tasks. */
  readonly completion_rate: number
  /** Blocked, or waiting for another, of all; from 0 to 1. */
  readonly blocked_ratio: number
  /** Estimated effort of what is left. */
  readonly remaining: number
}

type Category = 'pending' | 'in_progress' | 'completed' | 'blocked'
export type Categories = Readonly<Record<Category, readonly string[]>>

type Of = Pick<TaskContext, 'epic_id' | 'sprint_id'>

/** Tasks, and what was completed of those that are put away. */
interface Work {
  readonly tasks: readonly Task[]
  readonly put_away: readonly (PutAway & Of)[]
}

export function allWork(root: State): Work {
  const { put_away = {} } = sliceOf<TaskIndex>(root, 'execution.task_index') ?? {}
  return {
    tasks: Object.values(sliceOf<TasksSlice>(root, 'execution.tasks') ?? {}),
    put_away: Object.entries(put_away).flatMap(([epic, sprints]) =>
      Object.entries(sprints).map(([sprint, done]) => ({ ...done, epic_id: epic || null, sprint_id: sprint || null })),
    ),
  }
}

const workOf = ({ tasks, put_away }: Work, isOwn: (of: Of) => boolean): Work => ({
  tasks: tasks.filter(({ context }) => isOwn(context)),
  put_away: put_away.filter(isOwn),
})

/** Undefined for a cancelled one, which counts nowhere. */
function categoryOf({ status, waits }: Task): Category | undefined {
  switch (status) {
    case 'pending':
      return waits > 0 ? 'blocked' : 'pending'
    case 'assigned':
    case 'in_progress':
    case 'review':
      return 'in_progress'
    case 'completed':
    case 'blocked':
      return status
    case 'cancelled':
      return undefined
  }
}

function categoriesOf(tasks: readonly Task[]): Categories {
  const found: Record<Category, string[]> = { pending: [], in_progress: [], completed: [], blocked: [] }
  for (const task of tasks) {
    const category = categoryOf(task)
    if (category !== undefined) found[category].push(task.id)
  }
  return found
}

export function progressOf(own: Work): Progress {
  const counted = own.tasks.filter((task) => categoryOf(task) !== undefined)
  const done = completedOf(own)
  const open = counted.filter(({ status }) => status !== 'completed')
  const blocked = open.filter((task) => categoryOf(task) === 'blocked').length
  const tasks = done.completed + open.length
  const share = (part: number) => (tasks === 0 ? 0 : part / tasks)
  return {
    tasks,
    completed: done.completed,
    blocked,
    velocity: done.points,
    completion_rate: share(done.completed),
    blocked_ratio: share(blocked),
    remaining: pointsOf(open),
  }
}

/** N6 */
function completedOf({ tasks, put_away }: Work): PutAway {
  const done = tasks.filter(({ status }) => status === 'completed')
  return put_away.reduce(
    (sum, { completed, points }) => ({ completed: sum.completed + completed, points: sum.points + points }),
    { completed: done.length, points: pointsOf(done) },
  )
}

const pointsOf = (tasks: readonly Task[]): number =>
  tasks.reduce((sum, { estimated_effort }) => sum + (estimated_effort ?? 1), 0)

/** A sprint as session documents have it. */
export function showSprint(root: State, sprint: Sprint, all = allWork(root)) {
  const own = workOf(all, ({ sprint_id }) => sprint_id === sprint.id)
  const { velocity, completion_rate, blocked_ratio, ...counts } = progressOf(own)
  return {
    ...sprint,
    task_categories: categoriesOf(own.tasks),
    metrics: { velocity, completion_rate, blocked_ratio },
    counts,
  }
}

/** Its own tasks, and those of its sprints. */
export function showEpic(root: State, epic: Epic, all = allWork(root)) {
  const sprints = new Set(epic.sprints)
  const own = workOf(all, ({ epic_id, sprint_id }) => epic_id === epic.id || sprints.has(sprint_id ?? ''))
  const { velocity, ...progress } = progressOf(own)
  const ended = plansOf(root).past_sprints
  const past = epic.sprints.filter((id) => ended[id]?.status === 'completed')
  const done = completedOf(workOf(own, ({ sprint_id }) => past.includes(sprint_id ?? '')))
  return {
    ...epic,
    // Of a sprint, on average, once one has been completed; before that, of all so far.
    progress: { ...progress, velocity: past.length === 0 ? velocity : done.points / past.length },
  }
}

export interface SprintFilter {
  readonly epic?: string | undefined
  readonly status?: string | undefined
}

export function sprintRows(root: State, { epic, status }: SprintFilter) {
  const { active_sprints, past_sprints } = plansOf(root)
  const all = allWork(root)
  return [...active_sprints, ...Object.values(past_sprints)]
    .filter((sprint) => (epic ?? sprint.epic_id) === sprint.epic_id && (status ?? sprint.status) === sprint.status)
    .map((sprint) => {
      const { id, epic_id, name, start_date, end_date, metrics } = showSprint(root, sprint, all)
      return { id, name, status: sprint.status, epic_id, start_date, end_date, ...metrics }
    })
}

export function epicRows(root: State, status?: string) {
  const all = allWork(root)
  return Object.values(plansOf(root).epics)
    .filter((epic) => (status ?? epic.status) === epic.status)
    .map((epic) => {
      const { id, title, owner, sprints, progress } = showEpic(root, epic, all)
      return { id, title, status: epic.status, owner, sprints: sprints.length, ...progress }
    })
}

/* How far epics and sprints are, derived from their tasks. */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { Task, TasksSlice } from '../tasks/events.ts'
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

const allTasks = (root: State): readonly Task[] => Object.values(sliceOf<TasksSlice>(root, 'execution.tasks') ?? {})

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

export function progressOf(tasks: readonly Task[]): Progress {
  const counted = tasks.filter((task) => categoryOf(task) !== undefined)
  const completed = counted.filter(({ status }) => status === 'completed')
  const blocked = counted.filter((task) => categoryOf(task) === 'blocked').length
  const share = (part: number) => (counted.length === 0 ? 0 : part / counted.length)
  const velocity = pointsOf(completed)
  return {
    tasks: counted.length,
    completed: completed.length,
    blocked,
    velocity,
    completion_rate: share(completed.length),
    blocked_ratio: share(blocked),
    remaining: pointsOf(counted) - velocity,
  }
}

const pointsOf = (tasks: readonly Task[]): number =>
  tasks.reduce((sum, { estimated_effort }) => sum + (estimated_effort ?? 1), 0)

/** A sprint as session documents have it. */
export function showSprint(root: State, sprint: Sprint, tasks = allTasks(root)) {
  const own = tasks.filter(({ context }) => context.sprint_id === sprint.id)
  const { velocity, completion_rate, blocked_ratio, ...counts } = progressOf(own)
  return {
    ...sprint,
    task_categories: categoriesOf(own),
    metrics: { velocity, completion_rate, blocked_ratio },
    counts,
  }
}

/** Its own tasks, and those of its sprints. */
export function showEpic(root: State, epic: Epic, tasks = allTasks(root)) {
  const sprints = new Set(epic.sprints)
  const own = tasks.filter(({ context }) => context.epic_id === epic.id || sprints.has(context.sprint_id ?? ''))
  const { velocity, ...progress } = progressOf(own)
  const ended = plansOf(root).past_sprints
  const past = epic.sprints.filter((id) => ended[id]?.status === 'completed')
  const done = pointsOf(
    own.filter(({ status, context }) => status === 'completed' && past.includes(context.sprint_id ?? '')),
  )
  return {
    ...epic,
    // Of a sprint, on average, once one has been completed; before that, of all so far.
    progress: { ...progress, velocity: past.length === 0 ? velocity : done / past.length },
  }
}

export interface SprintFilter {
  readonly epic?: string | undefined
  readonly status?: string | undefined
}

export function sprintRows(root: State, { epic, status }: SprintFilter) {
  const { active_sprints, past_sprints } = plansOf(root)
  const tasks = allTasks(root)
  return [...active_sprints, ...Object.values(past_sprints)]
    .filter((sprint) => (epic ?? sprint.epic_id) === sprint.epic_id && (status ?? sprint.status) === sprint.status)
    .map((sprint) => {
      const { id, epic_id, name, start_date, end_date, metrics } = showSprint(root, sprint, tasks)
      return { id, name, status: sprint.status, epic_id, start_date, end_date, ...metrics }
    })
}

export function epicRows(root: State, status?: string) {
  const tasks = allTasks(root)
  return Object.values(plansOf(root).epics)
    .filter((epic) => (status ?? epic.status) === epic.status)
    .map((epic) => {
      const { id, title, owner, sprints, progress } = showEpic(root, epic, tasks)
      return { id, title, status: epic.status, owner, sprints: sprints.length, ...progress }
    })
}

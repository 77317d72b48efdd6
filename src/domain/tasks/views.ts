/* What people see of tasks. */
import type { Tree } from '../../kernel/state/module.ts'
import { tasksAt } from './at-now.ts'
import { asEdge } from './decide-dependency.ts'
import { allLinks, byOrder, endsOf, findCircles, linksInto, nodesOf, sayLink, weakestOf } from './dependency.ts'
import type { Task, TaskStatus } from './events.ts'
import { fits, isReady } from './ready.ts'
import { indexOf, isMet, tasksOf } from './tasks.ts'

type State = Readonly<Tree>

/** One line of `task list` and `task ready`. */
export interface TaskRow {
  readonly id: string
  readonly title: string
  readonly type: string
  readonly status: TaskStatus
  readonly ready: boolean
  readonly priority: string
  readonly assignee: string | null
  readonly token: number | null
  /** ISO 8601. */
  readonly lease_until: string | null
  /** What it waits for that is not met. */
  readonly waits_for: readonly string[]
  readonly reason: string | null
  /** Its last attempt failed: it is retried, not unblocked. */
  readonly failed: boolean
  readonly epic_id: string | null
  readonly sprint_id: string | null
  readonly attempts: number
  readonly updated_at: string
}

export function taskRow(root: State, task: Task): TaskRow {
  const { id, title, type, status, priority, assignee, token, claim, block, context, attempts, updated_at } = task
  return {
    id,
    title,
    type,
    status,
    ready: isReady(task),
    priority,
    assignee,
    token: claim === null ? null : token,
    lease_until: claim === null ? null : new Date(claim.expires).toISOString(),
    waits_for: unmetOf(root, task),
    reason: block?.reason ?? null,
    failed: block?.kind === 'failed',
    epic_id: context.epic_id,
    sprint_id: context.sprint_id,
    attempts,
    updated_at,
  }
}

const unmetOf = (root: State, { dependencies, waits }: Task): readonly string[] =>
  waits === 0 ? [] : dependencies.filter((node) => !isMet(tasksOf(root), indexOf(root), node))

interface Listed {
  readonly status?: TaskStatus | undefined
  readonly assignee?: string | undefined
  readonly type?: string | undefined
  readonly team?: string | undefined
  readonly epic?: string | undefined
  readonly sprint?: string | undefined
  readonly project?: string | undefined
}

/** By priority, then age. */
export function taskRows(root: State, filter: Listed): readonly TaskRow[] {
  const { status, assignee } = filter
  return Object.values(tasksOf(root))
    .filter((task) => fits(task, filter))
    .filter((task) => (status ?? task.status) === task.status && (assignee ?? task.assignee) === task.assignee)
    .toSorted(byOrder)
    .map((task) => taskRow(root, task))
}

export function showTask(root: State, task: Task) {
  return { ...taskRow(root, task), edges: linksInto(indexOf(root), task.id).map(asEdge), task }
}

/** How many may be claimed, and how many are claimed, at `now`. */
export function taskCounts(root: State, now: number) {
  const index = indexOf(tasksAt(root, now))
  return { ready: index?.ready.size ?? 0, claimed: index?.leases.size ?? 0 }
}

export interface EdgeRow {
  readonly from: string
  readonly to: string
  readonly type: string
  readonly met: boolean
  readonly at: string
}

export function edgeRows(root: State, node?: string): readonly EdgeRow[] {
  const [slice, index] = [tasksOf(root), indexOf(root)]
  return allLinks(index)
    .filter(({ source, waiting }) => node === undefined || source === node || waiting === node)
    .map((link) => ({ ...endsOf(link), type: link.type, met: isMet(slice, index, link.source), at: link.at }))
}

/** K5: with what to break, and why. */
export function circleRows(root: State) {
  return findCircles(root).map((links) => {
    const weakest = weakestOf(tasksOf(root), links)
    return {
      path: nodesOf(links),
      edges: links.map(asEdge),
      weakest: weakest === undefined ? null : { ...endsOf(weakest.link), type: weakest.link.type },
      because: weakest?.because ?? null,
      next: weakest === undefined ? null : breaking(endsOf(weakest.link)),
    }
  })
}

const breaking = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  `steadfold dependency break ${from} ${to}`

/** `communication.coordination.dependencies` as session documents have it. */
export function dependencyDocument(root: State) {
  const [slice, index] = [tasksOf(root), indexOf(root)]
  const tasks = Object.values(slice).filter(({ dependencies, blocking }) => dependencies.length + blocking.length > 0)
  const outside = Object.entries(index?.outside ?? {}).map(([id, { type, status }]) => [id, { type, status }])
  const nodes: Record<string, unknown> = Object.fromEntries([
    ...tasks.map(({ id, status }) => [id, { type: 'task', status }]),
    ...outside,
  ])
  const blocks = tasks
    .filter(({ status, waits }) => status !== 'completed' && status !== 'cancelled' && waits > 0)
    .map((task) => blockOf(root, task))
  return { graph: { nodes, edges: allLinks(index).map((link) => ({ ...endsOf(link), type: link.type })) }, blocks }
}

function blockOf(root: State, task: Task) {
  const blocking = unmetOf(root, task)
  const links = linksInto(indexOf(root), task.id).filter(({ source }) => blocking.includes(source))
  return {
    blocked_item: task.id,
    blocking_items: blocking,
    reason: links.map(sayLink).join('; '),
    detected_at: links.map(({ at }) => at).toSorted()[0] ?? task.created_at,
    estimated_resolution: null,
  }
}

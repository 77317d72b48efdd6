/*
 * Tasks: who may work on what, and what waits for what.
 *
 *   pending ──claim──► assigned ──start──► in_progress ──submit──► review ──done──► completed (for good)
 *      ▲ ▲                 │ done, fail        │ done, fail           │ fail
 *      │ └──release, lease over──┴─────────────┘                      │ retry: back to pending
 *      ├──unblock── blocked ◄──block, fail── from any that is open    │
 *      └──retry──── blocked (failed), cancelled ◄──cancel── ──────────┘
 *
 * K1. At most one claim of a task holds; its token is the sequence number of the commit that granted it, so it only grows.
 * K2. Who reports with a token that is not the last one, or whose claim is over, is refused; without one, only the holder.
 * K3. A claim past its lease is told over by the next operation, and its task is pending again.
 * K4. Ready is what is pending and waits for nothing; it is claimed by priority, then age.
 * K5. No dependency closes a circle. One that was imported keeps its tasks waiting until somebody breaks it.
 * K6. A dependency is met when its task is completed; one that was cancelled is not.
 * K7. Completed is for good: nothing that waited for a task waits again.
 * K8. The index says what a search of all tasks would say.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { keysUpTo, put, take } from '../../kernel/state/heap.ts'
import { defineModule, sliceOf, sliceReader, type Meta, type Tree } from '../../kernel/state/module.ts'
import {
  emptyIndex,
  type Claimed,
  type Edge,
  type OutsideNode,
  type Task,
  type TaskEvent,
  type TaskIndex,
  type TasksSlice,
} from './events.ts'
import { queue } from './ready.ts'

const INDEX = 'task_index'

export const tasksModule = defineModule<TasksSlice, TaskEvent>({
  slice: 'execution.tasks',
  initial: () => ({}),
  evolve: {
    'task.added': (slice, data, edit, meta) => {
      const work = workOf(slice, edit, meta)
      const ordinal = work.index.added
      edit.set(asRecord(work.index), 'added', ordinal + 1)
      replace(work, undefined, { ...fresh(meta.at), ...edit.own(data), ordinal })
    },
    'task.updated': (slice, { id, ...data }, edit, meta) => change(workOf(slice, edit, meta), id, () => edit.own(data)),
    'task.claimed': (slice, data, edit, meta) => claim(workOf(slice, edit, meta), data),
    'task.renewed': (slice, { id, expires }, edit, meta) =>
      change(workOf(slice, edit, meta), id, ({ claim: held }) => ({
        claim: held === null ? null : { ...held, expires },
      })),
    'task.started': (slice, { id }, edit, meta) =>
      change(workOf(slice, edit, meta), id, () => ({ status: 'in_progress' })),
    'task.submitted': (slice, { id }, edit, meta) =>
      change(workOf(slice, edit, meta), id, () => ({ status: 'review', claim: null })),
    'task.completed': (slice, { id, actual_effort, artifacts, completed_at }, edit, meta) => {
      const work = workOf(slice, edit, meta)
      change(work, id, (task) => ({
        status: 'completed',
        claim: null,
        block: null,
        completed_at: completed_at ?? meta.at,
        actual_effort: actual_effort ?? task.actual_effort,
        artifacts: [...task.artifacts, ...artifacts],
      }))
      for (const waiting of taskOf(slice, id)?.blocking ?? []) count(work, waiting, -1)
    },
    'task.failed': (slice, { id, reason }, edit, meta) => block(workOf(slice, edit, meta), id, 'failed', reason),
    'task.blocked': (slice, { id, reason }, edit, meta) => block(workOf(slice, edit, meta), id, 'held', reason),
    'task.unblocked': (slice, { id }, edit, meta) => change(workOf(slice, edit, meta), id, () => WAITING),
    'task.retried': (slice, { id }, edit, meta) => change(workOf(slice, edit, meta), id, () => WAITING),
    'task.cancelled': (slice, { id }, edit, meta) =>
      change(workOf(slice, edit, meta), id, () => ({ status: 'cancelled', claim: null, block: null })),
    'task.returned': (slice, { id, token }, edit, meta) =>
      change(workOf(slice, edit, meta), id, (task) => (task.token === token && task.claim !== null ? WAITING : {})),
    'task.archived': (slice, { ids, counted = false }, edit, meta) => {
      const work = workOf(slice, edit, meta)
      for (const id of ids) {
        if (counted) countOn(work, taskOf(slice, id))
        archive(work, id)
      }
    },
    'dependency.added': (slice, { source, waiting, type }, edit, meta) =>
      connect(workOf(slice, edit, meta), { source, waiting }, { type, seq: meta.seq, at: meta.at }),
    'dependency.removed': (slice, wait, edit, meta) => disconnect(workOf(slice, edit, meta), wait),
    'dependency.broken': (slice, wait, edit, meta) => disconnect(workOf(slice, edit, meta), wait),
    'dependency.outside-told': (slice, { node, status }, edit, meta) => tell(workOf(slice, edit, meta), node, status),
  },
  expire: (root, now, _seq, operation) => {
    const leases = indexOf(root)?.leases
    // What is over is told behind a restore (R3 of restore.ts).
    if (leases === undefined || operation === 'session.restore') return []
    const slice = tasksOf(root)
    return keysUpTo(leases, now - 1).map((id) => ({
      type: 'task.returned',
      data: { id, token: taskOf(slice, id)?.token ?? 0, cause: 'expired' },
    }))
  },
  deadlines: `execution.${INDEX}.leases`,
})

export const tasksOf = (root: Readonly<Tree>): TasksSlice => sliceOf<TasksSlice>(root, 'execution.tasks') ?? {}
export const indexOf = sliceReader<TaskIndex>(`execution.${INDEX}`)

export const taskOf = (slice: TasksSlice, id: string): Task | undefined =>
  Object.hasOwn(slice, id) ? slice[id] : undefined

/** K6, of a task or of something outside. */
export function isMet(slice: TasksSlice, index: TaskIndex | undefined, node: string): boolean {
  const outside = index !== undefined && Object.hasOwn(index.outside, node) ? index.outside[node] : undefined
  return outside === undefined ? taskOf(slice, node)?.status === 'completed' : outside.status === 'available'
}

const WAITING = { status: 'pending', assignee: null, claim: null, block: null } as const

interface Work {
  readonly slice: TasksSlice
  readonly index: TaskIndex
  readonly edit: Edit
  readonly meta: Meta
}

interface Wait {
  readonly source: string
  readonly waiting: string
}

function workOf(slice: TasksSlice, edit: Edit, meta: Meta): Work {
  const known = indexOf(meta.root)
  if (known !== undefined) return { slice, index: known, edit, meta }
  const index = emptyIndex()
  // The fold has made `execution` on its way to the slice.
  edit.set(meta.root['execution'] as Tree, INDEX, index)
  return { slice, index, edit, meta }
}

function fresh(at: string) {
  return {
    ...WAITING,
    dependencies: [],
    blocking: [],
    created_at: at,
    updated_at: at,
    completed_at: null,
    actual_effort: null,
    waits: 0,
    attempts: 0,
    token: null,
  }
}

function change(work: Work, id: string, update: (task: Task) => Partial<Task>): void {
  const task = taskOf(work.slice, id)
  if (task !== undefined) replace(work, task, { ...task, ...update(task), updated_at: work.meta.at })
}

/** K8: the only way a task gets into the slice. */
function replace({ slice, index, edit }: Work, before: Task | undefined, after: Task): void {
  const { id } = after
  edit.set(slice, id, after)
  queue(index, before, after, edit)
  const held = before?.claim ?? null
  if (after.claim !== null && after.claim.expires !== held?.expires) put(index.leases, id, after.claim.expires, edit)
  if (after.claim === null && held !== null) {
    take(index.leases, id, edit)
    letGo(index, held.holder, id, edit)
  }
}

function letGo({ held }: TaskIndex, holder: string, id: string, edit: Edit): void {
  const mine = held[holder]
  if (mine === undefined) return
  edit.remove(mine, id)
  if (Object.keys(mine).length === 0) edit.remove(held, holder)
}

function claim(work: Work, { id, token, holder, expires }: Claimed): void {
  const { index, edit, meta } = work
  if (taskOf(work.slice, id) === undefined) return
  change(work, id, ({ attempts }) => ({
    status: 'assigned',
    assignee: holder,
    attempts: attempts + 1,
    token,
    claim: { holder, claimed_at: meta.at, expires },
    block: null,
  }))
  if (!Object.hasOwn(index.held, holder)) edit.set(index.held, holder, {})
  const mine = index.held[holder]
  if (mine !== undefined) edit.set(mine, id, token)
}

function block(work: Work, id: string, kind: 'held' | 'failed', reason: string): void {
  const { at, actor } = work.meta
  change(work, id, () => ({ status: 'blocked', claim: null, block: { kind, reason, at, actor } }))
}

/** One dependency more, or less, is not met. */
function count(work: Work, waiting: string, by: number): void {
  const task = taskOf(work.slice, waiting)
  if (task !== undefined) replace(work, task, { ...task, waits: task.waits + by })
}

function connect(work: Work, { source, waiting }: Wait, edge: Edge): void {
  const { slice, index, edit } = work
  const task = taskOf(slice, waiting)
  if (task === undefined) return
  if (!Object.hasOwn(index.edges, waiting)) edit.set(index.edges, waiting, {})
  const edges = index.edges[waiting] ?? {}
  const known = Object.hasOwn(edges, source)
  edit.set(edges, source, edge)
  if (known) return
  append(task.dependencies, source, edit)
  if (taskOf(slice, source) === undefined && !Object.hasOwn(index.outside, source)) outside(work, source, 'unavailable')
  const blocking = taskOf(slice, source)?.blocking ?? index.outside[source]?.blocking
  if (blocking !== undefined) append(blocking, waiting, edit)
  if (!isMet(slice, index, source)) count(work, waiting, 1)
}

function disconnect(work: Work, { source, waiting }: Wait): void {
  const { slice, index, edit } = work
  const edges = Object.hasOwn(index.edges, waiting) ? index.edges[waiting] : undefined
  if (edges === undefined || !Object.hasOwn(edges, source)) return
  edit.remove(edges, source)
  if (Object.keys(edges).length === 0) edit.remove(index.edges, waiting)
  const by = isMet(slice, index, source) ? 0 : -1
  const task = taskOf(slice, waiting)
  if (task !== undefined)
    replace(work, task, { ...task, dependencies: without(task.dependencies, source), waits: task.waits + by })
  const needed = taskOf(slice, source)
  if (needed !== undefined) replace(work, needed, { ...needed, blocking: without(needed.blocking, waiting) })
  const node = Object.hasOwn(index.outside, source) ? index.outside[source] : undefined
  if (node !== undefined) edit.set(index.outside, source, { ...node, blocking: without(node.blocking, waiting) })
}

function outside({ index, edit }: Work, node: string, status: string): void {
  const type: OutsideNode['type'] = node.startsWith('agent:') ? 'agent' : 'resource'
  edit.set(index.outside, node, { type, status, blocking: [] })
}

function tell(work: Work, node: string, status: string): void {
  const { slice, index, edit } = work
  if (!Object.hasOwn(index.outside, node)) return outside(work, node, status)
  const was = isMet(slice, index, node)
  edit.set(index.outside, node, { ...index.outside[node], status })
  const is = isMet(slice, index, node)
  if (was === is) return
  for (const waiting of index.outside[node]?.blocking ?? []) count(work, waiting, is ? -1 : 1)
}

function archive(work: Work, id: string): void {
  const { slice, index, edit } = work
  const task = taskOf(slice, id)
  if (task === undefined) return
  for (const source of task.dependencies) disconnect(work, { source, waiting: id })
  for (const waiting of task.blocking) disconnect(work, { source: id, waiting })
  queue(index, taskOf(slice, id), undefined, edit)
  edit.remove(slice, id)
}

function countOn({ index, edit }: Work, task: Task | undefined): void {
  if (task?.status !== 'completed') return
  const { epic_id, sprint_id } = task.context
  if (index.put_away === undefined) edit.set(asRecord(index), 'put_away', {})
  const all = index.put_away ?? {}
  const [epic, sprint] = [epic_id ?? '', sprint_id ?? '']
  if (!Object.hasOwn(all, epic)) edit.set(all, epic, {})
  const ofEpic = all[epic] ?? {}
  const { completed, points } = (Object.hasOwn(ofEpic, sprint) ? ofEpic[sprint] : undefined) ?? {
    completed: 0,
    points: 0,
  }
  edit.set(ofEpic, sprint, { completed: completed + 1, points: points + (task.estimated_effort ?? 1) })
}

function append(list: readonly string[], id: string, edit: Edit): void {
  // Made by this module; only the types of readers say that it stays as it is.
  edit.set(list as string[], list.length, id)
}

const without = (list: readonly string[], id: string): readonly string[] => list.filter((each) => each !== id)

function asRecord(index: TaskIndex): Record<string, unknown> {
  // The index is plain JSON; its interface only names the members.
  return index as unknown as Record<string, unknown>
}

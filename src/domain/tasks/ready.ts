/*
 * Who is next: a queue of all that is ready, and one for each value that a claim may ask for, such as `team=core`.
 *
 * R1. A ready task is in the queue of all and in one for each of its facets; a queue that is empty is not there.
 * R2. The first for one value costs the logarithm of what is ready; for several, what is ready for the rarest of them.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { emptyHeap, firstKeys, keysUpTo, put, take, type Heap } from '../../kernel/state/heap.ts'
import type { Priority, Task, TaskIndex } from './events.ts'

const RANKS: Readonly<Record<Priority, number>> = { critical: 0, high: 1, medium: 2, low: 3 }
/** More than a session will ever have tasks; four of them stay exact numbers. */
const RANK = 2 ** 48

/** What a claim may ask for. */
export interface Filter {
  readonly type?: string | undefined
  readonly team?: string | undefined
  readonly epic?: string | undefined
  readonly sprint?: string | undefined
  readonly project?: string | undefined
}

export const isReady = ({ status, waits }: Task): boolean => status === 'pending' && waits === 0

/** By priority, then age. */
export const orderOf = ({ priority, ordinal }: Task): number => RANKS[priority] * RANK + ordinal

export function fits(task: Task, filter: Filter): boolean {
  const has = new Set(facetsOf(task))
  return facets(filter).every((facet) => has.has(facet))
}

/** R1: keeps the queues true when a task becomes another. */
export function queue(index: TaskIndex, before: Task | undefined, after: Task | undefined, edit: Edit): void {
  const was = before !== undefined && isReady(before) ? before : undefined
  const is = after !== undefined && isReady(after) ? after : undefined
  if (was !== undefined && is !== undefined && orderOf(was) === orderOf(is) && sameFacets(was, is)) return
  if (was !== undefined) leave(index, was, edit)
  if (is !== undefined) enter(index, is, edit)
}

/** R2: ids of the first ones that fit, in order. */
export function nextIds(index: TaskIndex, filter: Filter, limit: number, taskOf: (id: string) => Task | undefined) {
  const wanted = facets(filter)
  const queues = wanted.map((facet) => queueOf(index, facet))
  if (wanted.length < 2) return firstKeys(wanted.length === 0 ? index.ready : (queues[0] ?? NONE), limit)
  const rarest = queues.reduce<Heap>(
    (least, each) => ((each ?? NONE).size < least.size ? (each ?? NONE) : least),
    index.ready,
  )
  const fitting = keysUpTo(rarest, Infinity).filter((id) => {
    const task = taskOf(id)
    return task !== undefined && fits(task, filter)
  })
  return fitting.slice(0, limit)
}

const NONE: Heap = emptyHeap()

function enter(index: TaskIndex, task: Task, edit: Edit): void {
  const order = orderOf(task)
  put(index.ready, task.id, order, edit)
  for (const facet of facetsOf(task)) {
    const known = queueOf(index, facet)
    const heap = known ?? emptyHeap()
    if (known === undefined) edit.set(index.facets, facet, heap)
    put(heap, task.id, order, edit)
  }
}

function leave(index: TaskIndex, task: Task, edit: Edit): void {
  take(index.ready, task.id, edit)
  for (const facet of facetsOf(task)) {
    const heap = queueOf(index, facet)
    if (heap === undefined) continue
    take(heap, task.id, edit)
    if (heap.size === 0) edit.remove(index.facets, facet)
  }
}

const queueOf = ({ facets: known }: TaskIndex, facet: string): Heap | undefined =>
  Object.hasOwn(known, facet) ? known[facet] : undefined

const facetsOf = ({ type, context }: Task): readonly string[] =>
  facets({
    type,
    team: context.team,
    epic: context.epic_id ?? undefined,
    sprint: context.sprint_id ?? undefined,
    project: context.project_id ?? undefined,
  })

const facets = ({ type, team, epic, sprint, project }: Filter): readonly string[] =>
  Object.entries({ type, team, epic, sprint, project }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )

const sameFacets = (a: Task, b: Task): boolean =>
  (a.type === b.type && a.context === b.context) || facetsOf(a).join('\n') === facetsOf(b).join('\n')

/* Tasks of any file, as `task.import` takes them. */
import type { ImportPlan } from '../../kernel/exchange/importer.ts'
import { whole } from '../../kernel/text/whole.ts'
import { idOf, lineOf, momentOf, saidOf } from './members.ts'

export interface Given {
  /** As the file calls it. */
  readonly id: string
  readonly title?: string | undefined
  readonly status?: string | undefined
  readonly type?: string | undefined
  readonly priority?: string | undefined
  readonly effort?: number | undefined
  readonly spent?: number | undefined
  /** Who does or did it: an actor, or the name of an agent. */
  readonly assignee?: string | undefined
  /** Why it is blocked. */
  readonly reason?: string | undefined
  readonly needs?: readonly string[]
  /** What needs it: the same as `needs`, told from the other end. */
  readonly blocks?: readonly string[]
  readonly artifacts?: readonly string[]
  readonly requirements?: string | undefined
  readonly criteria?: readonly string[]
  /** As the file has them: when the task was begun and completed there. */
  readonly created?: unknown
  readonly completed?: unknown
  /** Ids of what comes in beside the tasks. */
  readonly epic?: string | undefined
  readonly sprint?: string | undefined
  readonly team?: string | undefined
}

const STATUS: Readonly<Record<string, string>> = {
  pending: 'pending',
  open: 'pending',
  todo: 'pending',
  assigned: 'assigned',
  in_progress: 'in_progress',
  running: 'in_progress',
  started: 'in_progress',
  review: 'review',
  completed: 'completed',
  complete: 'completed',
  closed: 'completed',
  done: 'completed',
  blocked: 'blocked',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  deleted: 'cancelled',
  deferred: 'pending',
}
const TYPES: Readonly<Record<string, string>> = {
  feature: 'feature',
  bug: 'bug',
  tech_debt: 'tech_debt',
  chore: 'tech_debt',
  documentation: 'documentation',
  docs: 'documentation',
  testing: 'testing',
  test: 'testing',
}
const PRIORITIES: ReadonlySet<string> = new Set(['critical', 'high', 'medium', 'low'])
const MOST = 10_000
const MOST_WANTED = 100_000
/** Of one group, as JSON: a commit takes 16 MB, and a character may be several bytes. */
const MOST_CHARACTERS = 4_000_000

/** What one task has to do with another, as the file calls them. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly type: string
}

/** `what`: how the file calls them. `edges`: told beside them, and only between them. */
export function tasksPlan(
  what: string,
  given: readonly Given[],
  edges: readonly Edge[] = [],
): Pick<ImportPlan, 'rows' | 'problems' | 'requests'> {
  if (given.length === 0) return { rows: [], problems: [], requests: [] }
  const problems: string[] = []
  const used = new Map<string, string>()
  const seen = new Set<string>()
  const first = given.filter(({ id }) => {
    const isFirst = seen.size < seen.add(id).size
    if (!isFirst) problems.push(`${what}: "${id}" is there twice; the first counts`)
    return isFirst
  })
  if (first.length > MOST) problems.push(`${what}: only the first ${MOST} of ${first.length} were read`)
  const read = first.slice(0, MOST)
  const ids = new Map(read.map(({ id }) => [id, idOf('task', id, used)]))
  const tasks = bothEnds(read).map((task) => described(task, { what, ids, problems }))
  const between = edges.flatMap(({ from, to, type }) => {
    const [one, other] = [ids.get(from), ids.get(to)]
    return one === undefined || other === undefined || one === other ? [] : [{ from: one, to: other, type }]
  })
  return {
    rows: [{ what, count: tasks.length, becomes: 'tasks' }],
    problems,
    requests: inGroups(tasks, between),
  }
}

/** Each fits into one commit. Who waits for a task of a later group is told there. */
function inGroups(tasks: readonly ReturnType<typeof described>[], edges: readonly Edge[]): ImportPlan['requests'] {
  const groups = new Map<string, number>()
  let [last, size] = [0, 0]
  for (const task of tasks) {
    const own = JSON.stringify(task).length
    if (size > 0 && size + own > MOST_CHARACTERS) [last, size] = [last + 1, 0]
    size += own
    groups.set(task.id ?? '', last)
  }
  const groupOf = (id = '') => groups.get(id) ?? 0
  const ahead = tasks.flatMap(({ id = '', dependencies }) =>
    dependencies.filter((to) => groupOf(to) > groupOf(id)).map((to): Edge => ({ from: id, to, type: 'requires' })),
  )
  const all = [...edges, ...ahead]
  return Array.from({ length: last + 1 }, (_, at) => {
    const between = all.filter(({ from, to }) => Math.max(groupOf(from), groupOf(to)) === at)
    const own = tasks.filter(({ id }) => groupOf(id) === at)
    const input = own.map((task) => ({ ...task, dependencies: task.dependencies.filter((to) => groupOf(to) <= at) }))
    const told = { tasks: input, ...(between.length === 0 ? {} : { edges: between }) }
    return { op: 'task.import', input: told, brings: own.flatMap(({ id }) => id ?? []) }
  })
}

/** What a task says that it blocks, needs it. */
function bothEnds(tasks: readonly Given[]): readonly Given[] {
  const needed = new Map<string, string[]>()
  for (const { id, blocks = [] } of tasks)
    for (const each of blocks) {
      const others = needed.get(each)
      if (others === undefined) needed.set(each, [id])
      else others.push(id)
    }
  return tasks.map((task) => ({ ...task, needs: [...(task.needs ?? []), ...(needed.get(task.id) ?? [])] }))
}

interface Around {
  readonly what: string
  readonly ids: ReadonlyMap<string, string>
  readonly problems: string[]
}

function described(task: Given, around: Around) {
  const { id, artifacts = [], criteria, epic, sprint, team } = task
  const requirements = requirementsOf(task, around)
  const { ids } = around
  const priority = task.priority?.toLowerCase() ?? ''
  return {
    id: ids.get(id),
    title: titleOf(task, around),
    status: statusOf(task, around),
    type: saidOf(TYPES, task.type?.toLowerCase() ?? '') ?? 'feature',
    priority: PRIORITIES.has(priority) ? priority : 'medium',
    ...howItWent(task),
    artifacts: artifacts.filter((each) => each !== '').map((each) => whole(each, 200)),
    ...timesOf(task),
    dependencies: needsOf(task, around),
    context: {
      ...(epic === undefined ? {} : { epic_id: epic }),
      ...(sprint === undefined ? {} : { sprint_id: sprint }),
      ...(team === undefined ? {} : { team: whole(team, 200) }),
      ...(requirements === undefined ? {} : { requirements: whole(requirements, MOST_WANTED) }),
      ...(criteria === undefined ? {} : { acceptance_criteria: criteria }),
    },
  }
}

const howItWent = ({ effort = 0, spent, reason = '', assignee = '' }: Given) => ({
  ...(assignee === '' ? {} : { assignee: whole(assignee.includes(':') ? assignee : `agent:${assignee}`, 200) }),
  ...(effort < 1 ? {} : { estimated_effort: effort }),
  ...(spent === undefined ? {} : { actual_effort: spent }),
  ...(reason === '' ? {} : { reason: lineOf(reason) }),
})

/** They are data of the task; the commit has its own time. */
function timesOf({ created, completed }: Given) {
  const [begun, done] = [momentOf(created), momentOf(completed)]
  return {
    ...(begun === undefined ? {} : { created_at: begun }),
    ...(done === undefined ? {} : { completed_at: done }),
  }
}

function titleOf({ id, title = '' }: Given, { what, problems }: Around): string {
  const line = lineOf(title)
  if (line !== '') return line
  problems.push(`${what}: "${id}" has no title; its id stands for it`)
  return lineOf(id)
}

/** A text that is more than a title is there as a whole all the same. */
function requirementsOf({ id, title = '', requirements }: Given, { what, problems }: Around): string | undefined {
  const isMore = lineOf(title) !== title.trim()
  if (isMore && requirements !== undefined) problems.push(`${what}: "${id}" has a title that is more than a line here`)
  const wanted = requirements ?? (isMore ? title : undefined)
  if (wanted !== undefined && wanted.length > MOST_WANTED)
    problems.push(`${what}: "${id}" says ${wanted.length} characters of what is wanted; ${MOST_WANTED} are taken over`)
  return wanted
}

function statusOf({ id, status: told = 'pending' }: Given, { what, problems }: Around): string {
  const status = saidOf(STATUS, told.toLowerCase())
  if (status === undefined)
    problems.push(`${what}: "${id}" has the status "${told}", which is none; it is pending here`)
  if (status === 'in_progress' || status === 'assigned')
    problems.push(`${what}: "${id}" was at work; nobody holds it here, so it is pending`)
  return status ?? 'pending'
}

function needsOf({ id, needs = [], blocks = [] }: Given, { what, ids, problems }: Around): readonly string[] {
  const missing = needs.filter((need) => !ids.has(need))
  problems.push(...missing.map((need) => `${what}: "${id}" needs "${need}", which is not there`))
  const gone = blocks.filter((each) => !ids.has(each))
  problems.push(...gone.map((each) => `${what}: "${id}" blocks "${each}", which is not there`))
  return [...new Set(needs.filter((need) => need !== id).flatMap((need) => ids.get(need) ?? []))]
}

/** What there is of it stays in the original. */
export const left = (what: string, count: number): ImportPlan['rows'] =>
  count === 0 ? [] : [{ what, count, becomes: undefined }]

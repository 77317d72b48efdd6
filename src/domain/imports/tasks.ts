/* Tasks of any file, as `task.import` takes them. */
import type { ImportPlan } from '../../kernel/import.ts'
import { idOf, lineOf } from './members.ts'

export interface Given {
  /** As the file calls it. */
  readonly id: string
  readonly title?: string | undefined
  readonly status?: string | undefined
  readonly type?: string | undefined
  readonly priority?: string | undefined
  readonly effort?: number | undefined
  readonly needs?: readonly string[]
  readonly artifacts?: readonly string[]
  readonly requirements?: string | undefined
  readonly criteria?: readonly string[]
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

/** `what`: how the file calls them. */
export function tasksPlan(what: string, given: readonly Given[]): Pick<ImportPlan, 'rows' | 'problems' | 'requests'> {
  if (given.length === 0) return { rows: [], problems: [], requests: [] }
  const problems: string[] = []
  const used = new Map<string, string>()
  const first = given.filter(({ id }, at) => {
    const isFirst = given.findIndex((other) => other.id === id) === at
    if (!isFirst) problems.push(`${what}: "${id}" is there twice; the first counts`)
    return isFirst
  })
  if (first.length > MOST) problems.push(`${what}: only the first ${MOST} of ${first.length} were read`)
  const read = first.slice(0, MOST)
  const ids = new Map(read.map(({ id }) => [id, idOf('task', id, used)]))
  const tasks = read.map((task) => described(task, { what, ids, problems }))
  return {
    rows: [{ what, count: tasks.length, becomes: 'tasks' }],
    problems,
    requests: [{ op: 'task.import', input: { tasks } }],
  }
}

interface Around {
  readonly what: string
  readonly ids: ReadonlyMap<string, string>
  readonly problems: string[]
}

function described(task: Given, { what, ids, problems }: Around) {
  const say = (said: string) => problems.push(`${what}: "${task.id}" ${said}`)
  const dependencies = (task.needs ?? []).flatMap((need) => {
    const id = ids.get(need)
    if (id === undefined) say(`needs "${need}", which is not there`)
    return id === undefined || need === task.id ? [] : [id]
  })
  const status = STATUS[(task.status ?? 'pending').toLowerCase()]
  if (status === undefined) say(`has the status "${String(task.status)}", which is none; it is pending here`)
  if (status === 'in_progress' || status === 'assigned') say('was at work; nobody holds it here, so it is pending')
  const title = lineOf(task.title ?? '')
  if (title === '') say('has no title; its id stands for it')
  const priority = task.priority?.toLowerCase() ?? ''
  return {
    id: ids.get(task.id),
    title: title === '' ? lineOf(task.id) : title,
    status: status ?? 'pending',
    type: TYPES[task.type?.toLowerCase() ?? ''] ?? 'feature',
    priority: PRIORITIES.has(priority) ? priority : 'medium',
    ...(task.effort === undefined || task.effort < 1 ? {} : { estimated_effort: task.effort }),
    artifacts: (task.artifacts ?? []).filter((each) => each !== '').map((each) => each.slice(0, 200)),
    dependencies: [...new Set(dependencies)],
    context: {
      ...(task.requirements === undefined ? {} : { requirements: task.requirements.slice(0, 100_000) }),
      ...(task.criteria === undefined ? {} : { acceptance_criteria: task.criteria }),
    },
  }
}

/** What there is of it stays in the original. */
export const left = (what: string, count: number): ImportPlan['rows'] =>
  count === 0 ? [] : [{ what, count, becomes: undefined }]

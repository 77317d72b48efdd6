/* Events, one a line, with type, time and payload. What happened to the state and to tasks is told again; the rest is counted. */
import type { Importer, ImportPlan } from '../../kernel/exchange/importer.ts'
import { bodyOf, kindOf, type Kind } from './event-kind.ts'
import { countOf, linesOf, NOTHING, stemOf, textOf, textsOf, type Members } from './members.ts'
import { givenOf } from './orchestration.ts'
import { replayed } from './replay.ts'
import { documentPlan, documentTasks } from './session-document.ts'
import { left, tasksPlan, type Given } from './tasks.ts'

const STATUS: Readonly<Record<string, string>> = {
  created: 'pending',
  assigned: 'assigned',
  started: 'in_progress',
  completed: 'completed',
  failed: 'pending',
  blocked: 'blocked',
  cancelled: 'cancelled',
}

export const eventLines: Importer = {
  kind: 'event-lines',
  summary: 'an event log of JSON lines: type, timestamp and payload or data',
  detects: ({ text }) => linesOf(text, isEvent) !== undefined,
  read: ({ text, path }) => {
    const { objects, problems } = linesOf(text, isEvent) ?? NOTHING
    const told = retold(objects, {})
    const { document, tasks } = told
    const isEmpty = Object.keys(document).length === 0
    const plan = isEmpty ? tasksPlan('tasks', tasks) : documentPlan(document, stemOf(path), tasks)
    return {
      group: stemOf(path),
      ...plan,
      rows: [...eventRows(told), ...plan.rows],
      problems: [...problems, ...plan.problems, ...told.failed],
      ...(plan.requests.length === 0 ? { stateless: NOTHING_TOLD } : {}),
    }
  },
}

/** Transcripts of agents have lines of this form, too. */
const NOTHING_TOLD = 'none of its events tells of tasks, or of the state of a session'

export const eventRows = ({ changes, taken, others }: ReturnType<typeof retold>): ImportPlan['rows'] => [
  ...(changes === 0 ? [] : [{ what: 'events of the state', count: changes, becomes: 'what the document holds' }]),
  ...(taken === 0 ? [] : [{ what: 'events of tasks', count: taken, becomes: 'how these tasks stand' }]),
  ...[...others].flatMap(([kind, count]) => left(`events ${kind}`, count)),
]

/** What the events make of the document and the tasks that there were. */
export function retold(objects: readonly Members[], before: Members) {
  const { document, rest, taken: changes } = replayed(before, objects)
  const events = rest.map((event) => [kindOf(event), bodyOf(event), event['timestamp']] as const)
  const ofTasks = events.filter(([kind, body]) => kind[0] === 'task' && kind[1] in STATUS && idOf(body) !== undefined)
  const others = new Map<string, number>()
  const taken = new Set(ofTasks)
  for (const [kind] of events.filter((event) => !taken.has(event)))
    others.set(kind.join(':'), (others.get(kind.join(':')) ?? 0) + 1)
  const failures = ofTasks.filter(([kind]) => kind[1] === 'failed').length
  const failed = failures === 0 ? [] : [`${failures} failures of tasks are left in the original`]
  const tasks = told(ofTasks, documentTasks(document))
  return { document, changes, tasks, taken: ofTasks.length, others, failed }
}

export const isEvent = ({ type, timestamp }: Members): boolean =>
  typeof type === 'string' && typeof timestamp === 'string'

const idOf = (body: Members): string | undefined => textOf(body['task_id'], body['id'])

function told(events: readonly (readonly [Kind, Members, unknown])[], before: readonly Given[]): readonly Given[] {
  const tasks = new Map(before.map((task) => [task.id, task]))
  for (const [[, verb], body, at] of events) {
    const id = idOf(body) ?? ''
    const before = tasks.get(id) ?? { id }
    const status = STATUS[verb]
    const artifacts = textsOf(body['artifacts'])
    const effort = countOf(body['estimate'])
    tasks.set(id, {
      ...(verb === 'created' ? { ...givenOf(id, body), created: body['created_at'] ?? at, effort } : before),
      ...(verb === 'completed' ? ending(body, at) : {}),
      ...(verb === 'blocked' ? { reason: textOf(body['reason']) } : {}),
      status,
      artifacts: [...new Set([...(before.artifacts ?? []), ...artifacts])],
    })
  }
  return [...tasks.values()]
}

function ending(body: Members, at: unknown): Partial<Given> {
  const spent = countOf(body['actual_effort'])
  return { completed: body['completed_at'] ?? at, ...(spent === undefined ? {} : { spent }) }
}

/* Events, one a line, with type, time and payload. What happened to the state and to tasks is told again; the rest is counted. */
import type { Importer, ImportPlan } from '../../kernel/exchange/importer.ts'
import { bodyOf, kindOf, type Kind } from './event-kind.ts'
import {
  countOf,
  isMembers,
  linesOf,
  NOTHING,
  stemOf,
  textOf,
  textsOf,
  valueIn,
  type Lines,
  type Members,
} from './members.ts'
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
  unblocked: 'pending',
  submitted: 'review',
  returned: 'pending',
  retried: 'pending',
  cancelled: 'cancelled',
}

export const eventLines: Importer = {
  kind: 'event-lines',
  summary: 'an event log of JSON lines: type, timestamp and payload or data',
  detects: ({ text }) => eventsOf(text) !== undefined,
  read: ({ text, path }) => {
    const { objects, problems } = eventsOf(text) ?? NOTHING
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

/** A transcript of an agent may begin with lines that tell no time: what it was about, or which files there were. */
function eventsOf(text: string): Lines | undefined {
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => line.trim() !== '' && !isHeading(valueIn(line)))
  return linesOf(lines.fill('', 0, Math.max(begin, 0)).join('\n'), isEvent)
}

const isHeading = (line: unknown): boolean =>
  isMembers(line) && typeof line['type'] === 'string' && line['timestamp'] === undefined

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
  const ofTasks = events.filter((event) => isOfTask(event) || waitOf(event) !== undefined)
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

type Told = readonly [Kind, Members, unknown]

const isOfTask = ([[noun, verb], body]: Told): boolean =>
  noun === 'task' && (Object.hasOwn(STATUS, verb) || verb === 'updated') && idOf(body) !== undefined

interface Wait {
  readonly waiting: string
  readonly source: string
  readonly ends: boolean
}

/** What a task waits for, or waits for no longer. */
function waitOf([[noun, verb], body]: Told): Wait | undefined {
  const [waiting, source] = [textOf(body['waiting']), textOf(body['source'])]
  if (noun !== 'dependency' || waiting === undefined || source === undefined) return undefined
  return ['added', 'removed', 'broken'].includes(verb) ? { waiting, source, ends: verb !== 'added' } : undefined
}

const idOf = (body: Members): string | undefined => textOf(body['task_id'], body['id'])

function told(events: readonly Told[], before: readonly Given[]): readonly Given[] {
  const tasks = new Map(before.map((task) => [task.id, task]))
  for (const event of events) {
    const [[, verb], body, at] = event
    const wait = waitOf(event)
    if (wait !== undefined) {
      waits(tasks, wait)
      continue
    }
    const id = idOf(body) ?? ''
    const before = tasks.get(id) ?? { id }
    const change = verb === 'updated' ? said(givenOf(id, body)) : {}
    const status = STATUS[verb] ?? change.status ?? before.status
    const artifacts = textsOf(body['artifacts'])
    const effort = countOf(body['estimate'])
    tasks.set(id, {
      ...(verb === 'created' ? { ...givenOf(id, body), created: body['created_at'] ?? at, effort } : before),
      ...change,
      ...(verb === 'completed' ? ending(body, at) : {}),
      ...(verb === 'blocked' ? { reason: textOf(body['reason']) } : {}),
      status,
      artifacts: [...new Set([...(before.artifacts ?? []), ...artifacts])],
    })
  }
  return [...tasks.values()]
}

/** Of what nobody knows there is nothing to say. */
function waits(tasks: Map<string, Given>, { waiting, source, ends }: Wait): void {
  const task = tasks.get(waiting)
  if (task === undefined) return
  const others = (task.needs ?? []).filter((need) => need !== source)
  tasks.set(waiting, { ...task, needs: ends ? others : [...others, source] })
}

/** What an event leaves out stays as it was. */
const said = (given: Given): Partial<Given> =>
  Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  )

function ending(body: Members, at: unknown): Partial<Given> {
  const spent = countOf(body['actual_effort'])
  return { completed: body['completed_at'] ?? at, ...(spent === undefined ? {} : { spent }) }
}

/* A supervisor's checkpoint: its workers, and what they handed in. */
import type { Importer, ImportPlan } from '../../kernel/import.ts'
import { countOf, isMembers, itemsOf, lineOf, membersOf, stemOf, textOf, textsOf, type Members } from './members.ts'
import { left } from './tasks.ts'

const KINDS = ['research', 'implementation', 'testing']
const DONE: ReadonlySet<unknown> = new Set(['completed', 'complete', 'success'])
const FAILED: ReadonlySet<unknown> = new Set(['failed', 'error', 'timeout'])

export const supervisorCheckpoint: Importer = {
  kind: 'supervisor-checkpoint',
  summary: 'the checkpoint of a supervisor with its workers or tracks',
  detects: ({ value }) => isMembers(value) && typeof value['supervisor_id'] === 'string' && !('version' in value),
  read: ({ value, path }) => {
    const members = membersOf(value)
    const workers = itemsOf(members['workers'] ?? members['tracks']).filter(isMembers)
    const supervisor = name(textOf(members['supervisor_id']) ?? stemOf(path))
    const named = workers.map((worker, at) => [name(idOf(worker) ?? `worker-${at + 1}`), worker] as const)
    const problems = problemsOf(members, named)
    const unique = named.filter(([id], at) => named.findIndex(([other]) => other === id) === at)
    const kind = KINDS.find((each) => textOf(members['supervisor_name'], members['supervisor_id'])?.includes(each))
    return {
      group: supervisor,
      rows: [
        ...(unique.length === 0 ? [] : [{ what: 'workers', count: unique.length, becomes: 'workers of a supervisor' }]),
        ...left(
          'aggregated metadata, which is made of the workers here',
          isMembers(members['aggregated_metadata']) ? 1 : 0,
        ),
        ...left('a supervisor without its workers', unique.length === 0 ? 1 : 0),
      ],
      problems,
      requests: unique.length === 0 ? [] : requests(supervisor, kind ?? 'research', unique),
    }
  },
}

const idOf = (worker: Members): string | undefined => textOf(worker['worker_id'], worker['track_id'], worker['id'])
const name = (text: string): string => lineOf(text.replaceAll(/[,:]/g, '-'), 128)

type Named = readonly (readonly [id: string, worker: Members])[]

function problemsOf(members: Members, workers: Named): readonly string[] {
  const told = countOf(members['worker_count'] ?? members['track_count'])
  const missing =
    told === undefined || told === workers.length
      ? []
      : [`it tells of ${told} workers, and describes ${workers.length}`]
  const odd = workers.flatMap(([id, { status }]) =>
    DONE.has(status) || FAILED.has(status) ? [] : [`worker "${id}" is "${String(status)}"; it is open here`],
  )
  const twice = workers.flatMap(([id], at) =>
    workers.findIndex(([other]) => other === id) === at ? [] : [`worker "${id}" is there twice; the first counts`],
  )
  return [...missing, ...odd, ...twice]
}

function requests(supervisor: string, kind: string, workers: Named): ImportPlan['requests'] {
  const planned = workers.map(([id, worker]) => ({ id, topic: lineOf(textOf(worker['topic']) ?? id, 1000) }))
  return [
    { op: 'supervise.start', input: { kind, id: supervisor, workers: planned } },
    ...workers.flatMap(([id, worker]) => ended(supervisor, id, worker)),
  ]
}

function ended(supervisor: string, id: string, worker: Members): ImportPlan['requests'] {
  const metadata = membersOf(worker['metadata'])
  const path = textOf(worker['output_path'])
  const duration = worker['duration_ms']
  const title = textOf(metadata['title'])
  const summary = textOf(metadata['summary'])
  const told = {
    supervisor,
    worker: id,
    ...(path === undefined ? {} : { path: lineOf(path, 1000) }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    key_findings: textsOf(metadata['key_findings']),
    ...(typeof duration === 'number' && duration >= 0 ? { duration_ms: duration } : { untimed: true }),
  }
  if (DONE.has(worker['status'])) return [{ op: 'supervise.report', input: told }]
  const reason = lineOf(textOf(worker['error'], metadata['error']) ?? 'failed where it was imported from', 1000)
  return FAILED.has(worker['status']) ? [{ op: 'supervise.fail', input: { ...told, reason } }] : []
}

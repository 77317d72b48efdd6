/*
 * What becomes of one supervisor that a checkpoint tells of. It says who works for it in one of four ways:
 *
 *   workers                    tracks, execution_plan        stage, stages_completed        reports_created, failed_topics
 *   each with its report       waves of an implementation    of testing, with its numbers   how it ended, and nothing more
 *
 * U1. Who failed or is not done is so here, too: `supervise retry` opens only that.
 * U2. A track of a wave needs all of the wave before, unless it ended although these did not.
 */
import type { ImportPlan } from '../../kernel/exchange/importer.ts'
import { isStorableKey } from '../../kernel/json/rules.ts'
import { entriesOf, isMembers, itemsOf, lineOf, membersOf, stemOf, textOf, textsOf, type Members } from './members.ts'

const KINDS = ['research', 'implementation', 'testing']
const STAGES = ['generation', 'execution', 'validation']
const DONE: ReadonlySet<unknown> = new Set(['completed', 'complete', 'success'])
const FAILED: ReadonlySet<unknown> = new Set(['failed', 'error', 'timeout'])
const NOT_BEGUN: ReadonlySet<unknown> = new Set(['pending', undefined])

interface Worker {
  readonly id: string
  readonly topic: string
  readonly status: unknown
  readonly needs: readonly string[]
  readonly stage?: string | undefined
  readonly metrics: Members
  readonly told: Members
}

export interface SupervisorPlan {
  readonly workers: number
  readonly problems: readonly string[]
  /** None where it says nothing of who works for it. */
  readonly requests: ImportPlan['requests']
}

export const supervisorName = (text: string): string => {
  const name = lineOf(text.replaceAll(/[,:]/g, '-'), 128)
  return name !== '' && isStorableKey(name) ? name : 'supervisor'
}

/** `called`: what its kind may be read from. */
export function supervisorPlan(supervisor: string, members: Members, called: string): SupervisorPlan {
  const all = workersOf(members)
  const workers = all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at)
  const twice = all.flatMap(({ id }, at) =>
    all.findIndex((other) => other.id === id) === at ? [] : [`worker "${id}" is there twice; the first counts`],
  )
  const odd = workers.flatMap(({ id, status }) =>
    DONE.has(status) || FAILED.has(status) || NOT_BEGUN.has(status)
      ? []
      : [`worker "${id}" is "${String(status)}"; it is open here`],
  )
  return {
    workers: workers.length,
    problems: [...odd, ...twice],
    requests: workers.length === 0 ? [] : requests(supervisor, kindOf(workers, members, called), workers),
  }
}

function kindOf(workers: readonly Worker[], members: Members, called: string): string {
  const isStaged = workers.every(({ stage }) => stage !== undefined)
  const kind = KINDS.find((each) => called.includes(each)) ?? (isStaged ? 'testing' : undefined)
  if (kind === 'testing') return isStaged ? kind : 'research'
  return kind === 'implementation' || 'tracks' in members ? 'implementation' : 'research'
}

function workersOf(members: Members): readonly Worker[] {
  const described = itemsOf(members['workers'] ?? members['tracks']).filter(isMembers)
  if (described.length > 0) return inWaves(described.map(worker), members)
  return 'stages_completed' in members ? stagesOf(members) : endedOf(members)
}

function worker(told: Members, at: number): Worker {
  const id = supervisorName(textOf(told['worker_id'], told['track_id'], told['id']) ?? `worker-${at + 1}`)
  const { status, stage, files_modified } = told
  const metrics = typeof files_modified === 'number' ? { files_modified } : {}
  return {
    id,
    topic: lineOf(textOf(told['topic']) ?? id, 1000),
    status,
    needs: [],
    stage: textOf(stage),
    metrics,
    told,
  }
}

/** U2. In the order in which they may end. */
function inWaves(workers: readonly Worker[], { execution_plan }: Members): readonly Worker[] {
  const waves = entriesOf(execution_plan)
    .toSorted(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }))
    .map(([, names]) => workers.filter(({ id }) => textsOf(names).map(supervisorName).includes(id)))
  const placed = waves.flatMap((wave, at) => {
    const before = waves[at - 1] ?? []
    const isFree = before.every(({ status }) => DONE.has(status))
    return wave.map((each) => (isFree || !isOver(each) ? { ...each, needs: before.map(({ id }) => id) } : each))
  })
  return [...placed, ...workers.filter(({ id }) => !placed.some((each) => each.id === id))]
}

const isOver = ({ status }: Worker): boolean => DONE.has(status) || FAILED.has(status)

/** A stage is a worker of that name; the numbers are of the last one that is done. */
function stagesOf({ stage, stages_completed, test_metrics }: Members): readonly Worker[] {
  const done = textsOf(stages_completed)
  const named = [...new Set([...done, ...(textOf(stage) === undefined ? [] : [String(stage)])])]
  const stages = (named.every((each) => STAGES.includes(each)) ? STAGES : named).map(supervisorName)
  const last = stages.findLast((each) => done.includes(each))
  return stages.map((id) => ({
    id,
    topic: id,
    status: done.includes(id) ? 'completed' : undefined,
    needs: [],
    stage: id,
    metrics: id === last ? numbersOf(test_metrics) : {},
    told: {},
  }))
}

const numbersOf = (value: unknown): Members =>
  Object.fromEntries(
    entriesOf(value).filter(
      ([name, number]) => typeof number === 'number' && /^[A-Za-z_]\w{0,63}$/.test(name) && isStorableKey(name),
    ),
  )

function endedOf({ reports_created, failed_topics, failure_reasons }: Members): readonly Worker[] {
  const reasons = itemsOf(failure_reasons)
  return [
    ...textsOf(reports_created).map((output_path) => ({ id: stemOf(output_path), status: 'completed', output_path })),
    ...textsOf(failed_topics).map((id, at) => ({ id, status: 'failed', error: reasons[at] })),
  ].map(worker)
}

function requests(supervisor: string, kind: string, workers: readonly Worker[]): ImportPlan['requests'] {
  const isTesting = kind === 'testing'
  const stages = [...new Set(workers.map(({ stage }) => stage))]
  const planned = workers.map(({ id, topic, needs, stage }) => ({
    id,
    topic,
    ...(kind === 'implementation' ? { needs } : {}),
    ...(isTesting ? { stage } : {}),
  }))
  return [
    {
      op: 'supervise.start',
      input: { kind, id: supervisor, workers: planned, ...(isTesting ? { stages } : {}) },
    },
    ...workers.flatMap((each) => ended(supervisor, each)),
  ]
}

function ended(supervisor: string, { id, status, metrics, told }: Worker): ImportPlan['requests'] {
  const metadata = membersOf(told['metadata'])
  const [path, title, summary] = [told['output_path'], metadata['title'], metadata['summary']].map((each) =>
    textOf(each),
  )
  const duration = told['duration_ms']
  const input = {
    supervisor,
    worker: id,
    ...(path === undefined ? {} : { path: lineOf(path, 1000) }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    key_findings: textsOf(metadata['key_findings']),
    metrics,
    ...(typeof duration === 'number' && duration >= 0 ? { duration_ms: duration } : { untimed: true }),
  }
  if (DONE.has(status)) return [{ op: 'supervise.report', input }]
  const reason = lineOf(textOf(told['error'], metadata['error']) ?? 'failed where it was imported from', 1000)
  return FAILED.has(status) ? [{ op: 'supervise.fail', input: { ...input, reason } }] : []
}

/* What is read of supervisors, whether they were told by hand or are states that `run` works off. */
import { EngineError } from '../../kernel/error.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { succeeded, waitsFor, workersOf } from './course.ts'
import type { Metrics, SupervisorRecord, WorkerRecord } from './events.ts'
import { drivenStates, recordOfState } from './from-steps.ts'
import { recordOf, supervisionOf, workerOf } from './supervision.ts'

type State = Readonly<Tree>

/** Who works it off: a person or an agent that tells of it, or `run`. */
export type Source = 'told' | 'run'

/** In the order in which they were started. */
function allSupervisors(root: State): readonly { readonly record: SupervisorRecord; readonly source: Source }[] {
  const told = Object.values(supervisionOf(root)?.supervisors ?? {}).map((record) => ({
    record,
    source: 'told' as const,
  }))
  const run = drivenStates(root).map((record) => ({ record, source: 'run' as const }))
  return [...told, ...run].toSorted((a, b) => (a.record.started_at < b.record.started_at ? -1 : 1))
}

export const supervisorsIn = (root: State): readonly SupervisorRecord[] =>
  allSupervisors(root).map(({ record }) => record)

/** The one that is named, else the one that was started last. Throws NOT_FOUND. */
export function chosen(
  root: State,
  id: string | undefined,
): { readonly record: SupervisorRecord; readonly source: Source } {
  const told = id === undefined ? undefined : recordOf(supervisionOf(root), id)
  if (told !== undefined) return { record: told, source: 'told' }
  const state = id === undefined ? undefined : recordOfState(root, id)
  if (state !== undefined) return { record: state, source: 'run' }
  const last = id === undefined ? allSupervisors(root).at(-1) : undefined
  if (last !== undefined) return last
  throw new EngineError('NOT_FOUND', id === undefined ? 'there is no supervisor' : `no supervisor "${id}"`, {
    hint: id === undefined ? 'steadfold supervise start KIND WORKER...' : 'steadfold supervise list',
  })
}

export function chosenWorker(record: SupervisorRecord, id: string): WorkerRecord {
  const worker = workerOf(record, id)
  if (worker !== undefined) return worker
  throw new EngineError('NOT_FOUND', `supervisor "${record.id}" has no worker "${id}"`, {
    hint: `its workers are ${Object.keys(record.workers).join(', ')}`,
  })
}

export function supervisorRows(root: State) {
  return allSupervisors(root).map(({ record, source }) => {
    const workers = workersOf(record)
    return {
      supervisor: record.id,
      kind: record.kind,
      status: record.status,
      source,
      workers: workers.length,
      completed: succeeded(workers),
      failed: count(workers, 'failed'),
      started_at: record.started_at,
      ended_at: record.ended_at,
    }
  })
}

export function showSupervisor(root: State, id: string | undefined) {
  const { record, source } = chosen(root, id)
  const { kind, status, waves, min_success, started_at, ended_at } = record
  return {
    supervisor: record.id,
    kind,
    status,
    source,
    next: nextOf(record, source),
    min_success,
    waves,
    ...(kind === 'testing' ? stagesOf(record) : {}),
    started_at,
    ended_at,
    workers: workersOf(record).map((worker) => ({
      ...worker,
      waits_for: worker.status === 'pending' ? (waitsFor(record, worker) ?? null) : null,
    })),
    aggregate: aggregate(record),
  }
}

/** What goes up to whoever asked: of every worker that reported title, summary and findings, never the report itself. */
export function aggregate(record: SupervisorRecord) {
  const workers = workersOf(record)
  const done = workers.filter(({ status }) => status === 'completed')
  const missed = workers.filter(({ status }) => status === 'failed' || status === 'skipped')
  return {
    supervisor_id: record.id,
    status: record.status,
    topics_researched: workers.length,
    workers_succeeded: done.length,
    workers_failed: missed.length,
    success_rate: workers.length === 0 ? 0 : Math.round((done.length / workers.length) * 10_000) / 10_000,
    reports_created: done.flatMap(({ report }) => report?.path ?? report?.kept?.sha256 ?? []),
    summary: done.flatMap(({ report }) => (report === null ? [] : [headline(report)])).join(' '),
    key_findings: done.flatMap(({ report }) => report?.key_findings ?? []),
    failed_topics: missed.map(({ topic }) => topic),
    failure_reasons: missed.map(({ reason }) => reason ?? ''),
    metrics: totals(done.map(({ metrics }) => metrics)),
  }
}

function headline({ title, summary }: NonNullable<WorkerRecord['report']>): string {
  if (summary === '') return /[\p{P}]$/u.test(title) ? title : `${title}.`
  return `${title}: ${/[\p{P}]$/u.test(summary) ? summary : `${summary}.`}`
}

/** Counts are added; of a percentage the last counts. */
function totals(all: readonly Metrics[]): Metrics {
  const sums: Record<string, number> = {}
  for (const [name, value] of all.flatMap((metrics) => Object.entries(metrics)))
    sums[name] = name.endsWith('_percent') ? value : (sums[name] ?? 0) + value
  return sums
}

function stagesOf(record: SupervisorRecord) {
  const isDone = (stage: string) =>
    workersOf(record).every((worker) => worker.stage !== stage || !['pending', 'running'].includes(worker.status))
  const open = record.stages.findIndex((stage) => !isDone(stage))
  const completed = open < 0 ? record.stages : record.stages.slice(0, open)
  return { stage: record.stages[open] ?? record.stages.at(-1) ?? null, stages_completed: completed }
}

function nextOf({ id, status }: SupervisorRecord, source: Source): string {
  const again = source === 'run' ? 'steadfold run' : `steadfold supervise retry --supervisor ${quoted(id)}`
  const next = {
    running: 'wait for the reports',
    completed: 'go on',
    partial_success: `go on with what there is, or ${again}`,
    failed: `${again}, or ask a person`,
  }
  return next[status]
}

const count = (workers: readonly WorkerRecord[], status: WorkerRecord['status']): number =>
  workers.filter((worker) => worker.status === status).length

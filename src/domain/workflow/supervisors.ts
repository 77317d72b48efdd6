/*
 * Supervisors as a checkpoint file of version 2.1 has them: one shape a kind.
 *
 * K5. A supervisor that is called like a kind stands under it. Where none is, the first of the kind does. All others stand
 *     under their own names, so that none is left out.
 */
import { longestChain } from '../../kernel/work/graph.ts'
import { KINDS, type SupervisorRecord, type WorkerRecord } from '../supervision/events.ts'

export const supervisorState = (all: readonly SupervisorRecord[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    all.map((record) => [
      `${placeOf(record, all)}_supervisor`,
      { supervisor_name: record.id, ...SHAPES[record.kind](record) },
    ]),
  )

/** K5 */
function placeOf({ id, kind }: SupervisorRecord, all: readonly SupervisorRecord[]): string {
  const isFirst = all.find((other) => other.kind === kind)?.id === id
  const isFree = !all.some((other) => other.id === kind)
  return isFirst && isFree && !KINDS.some((each) => each === id) ? kind : id
}

const SHAPES: Readonly<Record<SupervisorRecord['kind'], (record: SupervisorRecord) => object>> = {
  research: researchState,
  implementation: implementationState,
  testing: testingState,
}

function researchState({ workers }: SupervisorRecord) {
  const all = Object.values(workers)
  const reports = all.flatMap(({ report, status }) => (report === null || status !== 'completed' ? [] : report))
  return {
    worker_count: all.length,
    worker_status: all.map(({ status }) => status),
    workers: all.map(({ id: worker_id, topic, status, report }) => ({
      worker_id,
      topic,
      status,
      output_path: report?.path ?? null,
      metadata:
        report === null ? null : { title: report.title, summary: report.summary, key_findings: report.key_findings },
    })),
    aggregated_metadata: {
      topics_researched: all.length,
      reports_created: reports.flatMap(({ path }) => path ?? []),
      summary: reports
        .map(({ title, summary }) => [title, summary].filter((text) => text !== '').join(': '))
        .join('. '),
      key_findings: reports.flatMap(({ key_findings }) => key_findings),
    },
  }
}

function implementationState({ workers, waves }: SupervisorRecord) {
  const all = Object.values(workers)
  const timed = all.map(({ id, needs, duration_ms }) => ({ name: id, needs, duration: duration_ms ?? 0 }))
  const sum = timed.reduce((total, { duration }) => total + duration, 0)
  return {
    track_count: all.length,
    tracks: all.map(({ id, metrics, duration_ms, status }) => ({
      track_id: id,
      files_modified: metrics['files_modified'] ?? null,
      duration_ms,
      status,
    })),
    execution_plan: Object.fromEntries(waves.map((wave, at) => [`wave_${at + 1}`, wave])),
    /** Measured: all durations, less the longest chain of them. */
    time_savings_ms: sum - longestChain(timed).duration,
  }
}

function testingState({ workers, stages }: SupervisorRecord) {
  const all = Object.values(workers)
  const isOpen = (stage: string) =>
    all.some((worker) => worker.stage === stage && ['pending', 'running'].includes(worker.status))
  const open = stages.findIndex(isOpen)
  return {
    stage: stages[open] ?? stages.at(-1) ?? null,
    stages_completed: open < 0 ? stages : stages.slice(0, open),
    test_metrics: metricsOf(all),
  }
}

/** What was told last of each. */
const metricsOf = (workers: readonly WorkerRecord[]): Readonly<Record<string, number>> =>
  Object.assign({}, ...workers.map(({ metrics }) => metrics))

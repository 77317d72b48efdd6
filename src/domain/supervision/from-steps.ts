/*
 * A state that `run` works off, seen as a supervisor: nothing of it is stored twice.
 *
 *   definition (mode, needs, stages) + ledger (attempts, results, reports) ──► the record that a supervisor would have
 *
 * R1. While a runner is at work, what failed before it came is pending, and so is what it tries again by itself.
 * R2. Outputs of these names that are numbers are metrics: files_modified, total_tests, passed, failed, coverage_percent.
 */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { waves } from '../../kernel/work/graph.ts'
import type { Lease } from '../session/events.ts'
import type { StepRecord, StepsSlice } from '../steps/events.ts'
import type { Imported } from '../workflow/events.ts'
import { endOf, hopeless, withWorkers, workersOf } from './course.ts'
import type { Metrics, SupervisorKind, SupervisorRecord, WorkerRecord } from './events.ts'
import { freshWorker, workerOf } from './supervision.ts'

type Definition = Imported['definition']
type StateDefinition = Definition['states'][string]

const KIND: Readonly<Record<StateDefinition['mode'], SupervisorKind>> = {
  parallel: 'research',
  waves: 'implementation',
  stages: 'testing',
}

const STATUS: Readonly<Record<StepRecord['status'], WorkerRecord['status']>> = {
  ready: 'pending',
  running: 'running',
  finished: 'completed',
  failed: 'failed',
  parked: 'failed',
}

export const isDriven = (root: Readonly<Tree>, name: string): boolean => stateNamed(root, name) !== undefined

/** States of which at least one step was begun. */
export const drivenStates = (root: Readonly<Tree>): readonly SupervisorRecord[] =>
  Object.keys(definitionOf(root)?.states ?? {}).flatMap((name) => {
    const record = recordOfState(root, name)
    return record === undefined || record.started_at === '' ? [] : [record]
  })

/** Undefined when there is no such state, or it has no steps. */
export function recordOfState(root: Readonly<Tree>, name: string): SupervisorRecord | undefined {
  const state = stateNamed(root, name)
  if (state === undefined) return undefined
  const steps = Object.entries(state.steps)
  const stages = state.mode === 'stages' ? [...new Set(steps.map(([, { stage }]) => stage ?? ''))] : []
  const workers = steps.map(([step, { needs, files = [], stage = '' }]) => {
    const planned = { id: step, topic: step, needs, files, stage: state.mode === 'stages' ? stage : null }
    const entry = ledgerEntry(root, step)
    const worker = workerFrom(freshWorker(planned, ''), entry)
    return isTakenUp(root, name, entry) ? again(worker) : worker
  })
  const record: SupervisorRecord = {
    id: name,
    kind: KIND[state.mode],
    status: 'running',
    workers: Object.fromEntries(workers.map((worker) => [worker.id, worker])),
    waves: layOut(state, stages),
    stages,
    min_success: state.min_success,
    started_at: first(workers.map(({ begun_at }) => begun_at)) ?? '',
    ended_at: null,
  }
  return ended(root, withoutHope(record))
}

function layOut({ steps }: StateDefinition, stages: readonly string[]): SupervisorRecord['waves'] {
  const all = Object.entries(steps)
  if (stages.length === 0) return waves(all.map(([name, { needs }]) => ({ name, needs })))
  return stages.map((each) => all.filter(([, { stage = '' }]) => stage === each).map(([name]) => name))
}

function workerFrom(worker: WorkerRecord, entry: StepRecord | undefined): WorkerRecord {
  if (entry === undefined) return worker
  const { attempts, attempt, result, failure, reason, finished_at } = entry
  const status = STATUS[entry.status]
  const { duration_ms } = result ?? failure ?? NOT_OVER
  const found = result === null ? {} : { report: result.report ?? null, metrics: metricsOf(result.outputs) }
  return {
    ...worker,
    status,
    attempts,
    token: attempt?.token ?? null,
    begun_at: attempt?.started_at ?? null,
    ended_at: finished_at,
    duration_ms: status === 'running' ? null : duration_ms,
    timed: duration_ms === null ? null : 'begun',
    ...found,
    reason: status === 'failed' ? (reason ?? whyOf(failure)) : null,
  }
}

/** R1 */
function isTakenUp(root: Readonly<Tree>, state: string, entry: StepRecord | undefined): boolean {
  const lease = sliceOf<{ readonly lease: Lease | null }>(root, 'session')?.lease ?? null
  const current = sliceOf<{ readonly current: string }>(root, 'workflow')?.current
  if (entry?.status !== 'failed' || lease === null || current !== state) return false
  return entry.failure?.again === true || (entry.attempt?.token ?? 0) < lease.token
}

const again = (worker: WorkerRecord): WorkerRecord => ({
  ...worker,
  status: 'pending',
  ended_at: null,
  duration_ms: null,
  timed: null,
  reason: `is tried again: ${worker.reason ?? ''}`,
})

/** R2 */
const METRICS = ['files_modified', 'total_tests', 'passed', 'failed', 'coverage_percent'] as const

const metricsOf = (outputs: Readonly<Record<string, string>>): Metrics =>
  Object.fromEntries(
    METRICS.flatMap((name) => {
      const text = Object.hasOwn(outputs, name) ? (outputs[name] ?? '').trim() : ''
      return text !== '' && Number.isFinite(Number(text)) ? [[name, Number(text)]] : []
    }),
  )

const NOT_OVER = { duration_ms: null }

const whyOf = (failure: StepRecord['failure']): string | null => failure?.reason ?? null

function withoutHope(given: SupervisorRecord): SupervisorRecord {
  const record = withoutForeignNeeds(given)
  const skipped = hopeless(record).flatMap(({ worker: id, reason }): readonly WorkerRecord[] => {
    const worker = workerOf(record, id)
    return worker === undefined ? [] : [{ ...worker, status: 'skipped', reason }]
  })
  return withWorkers(record, skipped)
}

/** What it needs of earlier states was done before it began. */
const withoutForeignNeeds = (record: SupervisorRecord): SupervisorRecord => ({
  ...record,
  workers: Object.fromEntries(
    workersOf(record).map((worker) => [
      worker.id,
      { ...worker, needs: worker.needs.filter((need) => workerOf(record, need) !== undefined) },
    ]),
  ),
})

function ended(root: Readonly<Tree>, record: SupervisorRecord): SupervisorRecord {
  const status = endOf(record)
  if (status === undefined) return record
  const times = workersOf(record).flatMap(({ ended_at }) => ended_at ?? [])
  return { ...record, status, ended_at: times.toSorted().at(-1) ?? lastFailure(root) }
}

/** A failed step has no time of its own; the workflow says when its state failed. */
const lastFailure = (root: Readonly<Tree>): string | null =>
  sliceOf<{ readonly error?: { readonly at: string } | null }>(root, 'workflow')?.error?.at ?? null

const first = (times: readonly (string | null)[]): string | undefined =>
  times.flatMap((time) => time ?? []).toSorted()[0]

const definitionOf = (root: Readonly<Tree>): Definition | undefined =>
  sliceOf<{ readonly definition?: Definition }>(root, 'workflow')?.definition

function stateNamed(root: Readonly<Tree>, name: string): StateDefinition | undefined {
  const states = definitionOf(root)?.states ?? {}
  const state = Object.hasOwn(states, name) ? states[name] : undefined
  return state === undefined || Object.keys(state.steps).length === 0 ? undefined : state
}

function ledgerEntry(root: Readonly<Tree>, step: string): StepRecord | undefined {
  const slice = sliceOf<StepsSlice>(root, 'steps')
  const key = slice !== undefined && Object.hasOwn(slice.names, step) ? slice.names[step] : undefined
  return key === undefined ? undefined : slice?.ledger[key]
}

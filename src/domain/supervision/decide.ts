/* What may happen to a supervisor and its workers: one function an operation, S1–S6 of supervision.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { endOf, hopeless, isOver, readySince, waitingFor, waitsFor, withStatus, workersOf } from './course.ts'
import type { Metrics, Report, SupervisionEvent, SupervisorRecord, Timed, WorkerRecord } from './events.ts'
import { isDriven } from './from-steps.ts'
import { layOut, refusePlan, refuseReopened, TEST_STAGES, type Plan } from './plan.ts'
import { recordOf, supervisionOf, workerOf } from './supervision.ts'

type State = Readonly<Tree>
type Decided = Accepted<SupervisionEvent> | Refusal

interface Start extends Omit<Plan, 'stages'> {
  readonly id?: string | undefined
  readonly stages?: readonly string[] | undefined
  readonly min_success: number
}

export function decideStart(root: State, { id, kind, workers, stages, min_success }: Start): Decided {
  const known = supervisionOf(root)?.supervisors ?? {}
  const supervisor = id ?? freeName(kind, (name) => Object.hasOwn(known, name) || isDriven(root, name))
  if (Object.hasOwn(known, supervisor) || isDriven(root, supervisor))
    return refuse('NAME_TAKEN', `there is a supervisor "${supervisor}" already`, { hint: 'give another with --id' })
  const plan: Plan = { kind, workers, stages: kind === 'testing' ? (stages ?? TEST_STAGES) : [] }
  const refusal = refusePlan(
    plan,
    Object.values(known).filter(({ status }) => status === 'running'),
  )
  if (refusal !== undefined) return refusal
  return accept({
    type: 'supervision.started',
    data: { supervisor, ...plan, waves: layOut(plan), min_success },
  })
}

interface Of {
  readonly supervisor?: string | undefined
  readonly worker: string
  readonly token?: number | undefined
}

export function decideBegin(root: State, of: Of, { seq, actor: by }: Context): Decided {
  const found = find(root, of)
  if ('code' in found) return found
  const { record, worker } = found
  if (worker.status !== 'pending')
    return misplaced(found, worker.status === 'running' ? 'has begun already' : undefined)
  const waits = waitsFor(record, worker)
  if (waits !== undefined) return misplaced(found, `cannot begin: ${waits}`)
  const data = { supervisor: record.id, worker: worker.id, token: seq, by }
  return accept({ type: 'supervision.worker-begun', data })
}

export interface Told extends Of {
  readonly report?: Report | null | undefined
  readonly metrics: Metrics
  readonly duration_ms?: number | undefined
  readonly untimed?: boolean | undefined
}

export function decideReport(root: State, told: Told, { now }: Context): Decided {
  const found = find(root, told)
  if ('code' in found) return found
  // The same report twice, such as from a worker that did not hear the answer.
  if (found.worker.status === 'completed' && sameReport(found.worker.report, told.report ?? null)) return accept()
  const refusal = notOpen(found, told)
  if (refusal !== undefined) return refusal
  const data = { ...of(found), ...overIn(found, told, now) }
  return ending(found, { type: 'supervision.worker-reported', data }, 'completed')
}

export function decideFail(root: State, told: Told & { readonly reason: string }, { now }: Context): Decided {
  const found = find(root, told)
  if ('code' in found) return found
  const { status, reason } = found.worker
  if (status === 'failed' && reason === told.reason) return accept()
  const refusal = notOpen(found, told)
  if (refusal !== undefined) return refusal
  const data = { ...of(found), ...overIn(found, told, now), reason: told.reason }
  return ending(found, { type: 'supervision.worker-failed', data }, 'failed')
}

/** S3 */
export function decideRetry(
  root: State,
  { supervisor, workers }: { readonly supervisor?: string | undefined; readonly workers: readonly string[] },
): Decided {
  const record = findSupervisor(root, supervisor, ({ status }) => status !== 'completed')
  if ('code' in record) return record
  const candidates = retriable(record)
  const named = workers.length === 0 ? candidates.map(({ id }) => id) : workers
  const { open, lost } = reopened(record, named)
  for (const id of workers) {
    const found = find(root, { supervisor: record.id, worker: id })
    if ('code' in found) return found
    if (!candidates.includes(found.worker)) return misplaced(found, undefined)
    const still = lost.get(id)
    if (still !== undefined) return misplaced(found, `cannot be done again: it ${still}`)
  }
  if (open.length === 0) return accept()
  const again = candidates.filter(({ id }) => open.includes(id))
  return (
    refuseReopened(again, besides(root, record)) ??
    accept({ type: 'supervision.retried', data: { supervisor: record.id, workers: open } })
  )
}

/** What is under way, of the supervisor itself only those at work: a later stage may have begun. */
function besides(root: State, record: SupervisorRecord): readonly SupervisorRecord[] {
  const others = Object.values(supervisionOf(root)?.supervisors ?? {}).filter(({ id }) => id !== record.id)
  const atWork = workersOf(record).filter(({ status }) => status === 'running')
  const own = { ...record, workers: Object.fromEntries(atWork.map((worker) => [worker.id, worker])) }
  return [...others.filter(isRunning), own]
}

const retriable = (record: SupervisorRecord): readonly WorkerRecord[] =>
  workersOf(record).filter(({ status }) => status === 'failed' || status === 'skipped')

/** Those named, and those that were skipped only because they wait for them; and who stays lost, and why. */
function reopened(record: SupervisorRecord, named: readonly string[]) {
  const behind = waitingFor(record, named)
  const again = retriable(record).filter(
    ({ id, status }) => named.includes(id) || (status === 'skipped' && behind.has(id)),
  )
  const after = withStatus(
    record,
    again.map(({ id }) => id),
    'pending',
  )
  const lost = new Map(hopeless(after).map(({ worker, reason }) => [worker, reason]))
  return { open: again.map(({ id }) => id).filter((id) => !lost.has(id)), lost }
}

/** What is open is given up: nobody failed, so nobody needs to see to it. */
export function decideStop(
  root: State,
  { supervisor, reason }: { readonly supervisor?: string | undefined; readonly reason: string },
): Decided {
  const record = findSupervisor(root, supervisor, isRunning, (id) => `steadfold supervise stop ${quoted(id)}`)
  if ('code' in record) return record
  if (record.status !== 'running') return accept()
  const open = workersOf(record).flatMap((worker) => (isOver(worker) ? [] : worker.id))
  const stopped = withStatus(record, open, 'skipped')
  return accept(
    ...open.map((id): SupervisionEvent => ({
      type: 'supervision.worker-skipped',
      data: { supervisor: record.id, worker: id, reason },
    })),
    { type: 'supervision.ended', data: { supervisor: record.id, status: endOf(stopped) ?? 'failed' } },
  )
}

interface Found {
  readonly record: SupervisorRecord
  readonly worker: WorkerRecord
}

const of = ({ record, worker }: Found) => ({ supervisor: record.id, worker: worker.id })

const isRunning = ({ status }: SupervisorRecord): boolean => status === 'running'

function find(root: State, { supervisor, worker: id }: Of): Found | Refusal {
  const record = findSupervisor(root, supervisor, isRunning)
  if ('code' in record) return record
  const worker = workerOf(record, id)
  if (worker !== undefined) return { record, worker }
  return refuse('NOT_FOUND', `supervisor "${record.id}" has no worker "${id}"`, {
    hint: `its workers are ${Object.keys(record.workers).join(', ')}`,
  })
}

/** Without a name it is the only one that fits. */
function findSupervisor(
  root: State,
  id: string | undefined,
  fits: (record: SupervisorRecord) => boolean,
  naming: (id: string) => string = () => 'name one with --supervisor',
): SupervisorRecord | Refusal {
  const slice = supervisionOf(root)
  if (id !== undefined) return recordOf(slice, id) ?? notThere(root, id)
  const all = Object.values(slice?.supervisors ?? {})
  const fitting = all.filter(fits)
  const [only = all.length === 1 ? all[0] : undefined] = fitting.length === 1 ? fitting : []
  if (only !== undefined) return only
  if (all.length === 0)
    return refuse('NOT_FOUND', 'there is no supervisor', { hint: 'steadfold supervise start KIND WORKER...' })
  const names = (fitting.length === 0 ? all : fitting).map((record) => record.id)
  return refuse('INPUT_INVALID', `which supervisor? ${names.join(', ')}`, { hint: naming(names[0] ?? '') })
}

function notThere(root: State, id: string): Refusal {
  if (isDriven(root, id))
    return refuse('WORKER_STATUS_INVALID', `"${id}" is a state of the workflow: run works it off and tells of it`, {
      hint: 'steadfold run; only what failed runs again',
    })
  return refuse('NOT_FOUND', `no supervisor "${id}"`, { hint: 'steadfold supervise list' })
}

/** S1, S4. */
function notOpen(found: Found, { token }: Of): Refusal | undefined {
  const { record, worker } = found
  if (token !== undefined && token !== worker.token)
    return refuse('LEASE_LOST', `attempt ${token} of worker "${worker.id}" is over; ${placeOf(worker)}`, {
      hint: 'stop, and drop the report',
      details: { worker: worker.id, token: worker.token, status: worker.status },
    })
  if (worker.status === 'running') return undefined
  if (worker.status !== 'pending') return misplaced(found, undefined)
  const waits = waitsFor(record, worker)
  return waits === undefined ? undefined : misplaced(found, `cannot report: ${waits}`)
}

const placeOf = ({ status, reason }: WorkerRecord): string =>
  status === 'pending' && reason !== null ? `it was given back: ${reason}` : 'another took its place'

function misplaced({ record, worker }: Found, why: string | undefined): Refusal {
  const { id, status } = worker
  const own = `--supervisor ${quoted(record.id)}`
  // Where one alone cannot be done again, all that failed can.
  const again = `steadfold supervise retry ${reopened(record, [id]).lost.has(id) ? '' : `${quoted(id)} `}${own}`
  const hints = {
    pending: 'wait for what it needs; steadfold supervise show',
    running: `steadfold supervise report ${quoted(id)} ${own}`,
    completed: 'it stays as it is; steadfold supervise show',
    failed: again,
    skipped: again,
  }
  return refuse('WORKER_STATUS_INVALID', `worker "${id}" is ${status}${why === undefined ? '' : ` and ${why}`}`, {
    hint: hints[status],
    details: { supervisor: record.id, worker: id, status },
  })
}

function overIn({ record, worker }: Found, { report = null, metrics, duration_ms, untimed }: Told, now: number) {
  if (untimed === true) return { report, metrics, timed: null, duration_ms: null }
  const since = worker.begun_at === null ? readySince(record, worker) : Date.parse(worker.begun_at)
  const timed: Timed = duration_ms === undefined ? (worker.begun_at === null ? 'ready' : 'begun') : 'told'
  return { report, metrics, timed, duration_ms: duration_ms ?? Math.max(0, now - since) }
}

/** S5, S6: the end of a worker with what follows from it. */
function ending({ record, worker }: Found, event: SupervisionEvent, status: 'completed' | 'failed'): Decided {
  const over = withStatus(record, [worker.id], status)
  const lost = hopeless(over)
  const after = withStatus(
    over,
    lost.map(({ worker: id }) => id),
    'skipped',
  )
  const end = endOf(after)
  return accept(
    event,
    ...lost.map(({ worker: id, reason }): SupervisionEvent => ({
      type: 'supervision.worker-skipped',
      data: { supervisor: record.id, worker: id, reason },
    })),
    ...(end === undefined
      ? []
      : [{ type: 'supervision.ended', data: { supervisor: record.id, status: end } } satisfies SupervisionEvent]),
  )
}

const sameReport = (a: Report | null, b: Report | null): boolean =>
  a === null || b === null
    ? a === b
    : a.kept?.sha256 === b.kept?.sha256 && a.title === b.title && a.summary === b.summary

function freeName(kind: string, taken: (name: string) => boolean): string {
  for (let at = 1; ; at++) {
    const name = at === 1 ? kind : `${kind}-${at}`
    if (!taken(name)) return name
  }
}

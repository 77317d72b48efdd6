/* How a supervisor stands: who may begin, who never will, and how it ends. S1, S5 and S6 of supervision.ts. */
import type { SupervisorRecord, SupervisorStatus, WorkerRecord } from './events.ts'
import { workerOf } from './supervision.ts'

const OPEN: ReadonlySet<string> = new Set(['pending', 'running'])

export const isOver = ({ status }: Pick<WorkerRecord, 'status'>): boolean => !OPEN.has(status)

export const workersOf = ({ workers }: SupervisorRecord): readonly WorkerRecord[] => Object.values(workers)

/** S1: why a worker may not begin yet, in words; undefined when it may. */
export function waitsFor(record: SupervisorRecord, worker: WorkerRecord): string | undefined {
  const need = worker.needs.find((each) => workerOf(record, each)?.status !== 'completed')
  if (need !== undefined) return `it needs "${need}", which is ${workerOf(record, need)?.status ?? 'not there'}`
  const stage = earlier(record, worker).find((each) => !inStage(record, each).every(isOver))
  return stage === undefined ? undefined : `stage "${stage}" is not over`
}

/** Who needs one of these, or stands in a later stage, also by way of others. */
export function waitingFor(record: SupervisorRecord, ids: readonly string[]): ReadonlySet<string> {
  const all = workersOf(record)
  const found = new Set<string>()
  const open = all.filter(({ id }) => ids.includes(id))
  for (const { id, stage } of open) {
    const behind = all.filter((each) => each.needs.includes(id) || earlier(record, each).includes(stage ?? ''))
    for (const worker of behind) {
      if (!found.has(worker.id)) open.push(worker)
      found.add(worker.id)
    }
  }
  return found
}

/** S6: those that can no longer begin, in the order in which that follows. */
export function hopeless(record: SupervisorRecord): readonly { readonly worker: string; readonly reason: string }[] {
  const lost: { worker: string; reason: string }[] = []
  const workers = { ...record.workers }
  const after = { ...record, workers }
  // Waves are in the order of needs: what follows from a loss comes behind it, and mostly one pass is enough.
  const order = record.waves.flat()
  for (let before = -1; before !== lost.length;) {
    before = lost.length
    for (const id of order) {
      const worker = workerOf(after, id)
      const reason = worker?.status === 'pending' ? lostBy(after, worker) : undefined
      if (worker === undefined || reason === undefined) continue
      lost.push({ worker: id, reason })
      workers[id] = { ...worker, status: 'skipped', reason }
    }
  }
  return lost
}

/** S5: undefined while somebody is at work or may begin. */
export function endOf(record: SupervisorRecord): Exclude<SupervisorStatus, 'running'> | undefined {
  const workers = workersOf(record)
  if (!workers.every(isOver)) return undefined
  const done = succeeded(workers)
  if (done === workers.length) return 'completed'
  return met(done, workers.length, record.min_success) ? 'partial_success' : 'failed'
}

export const succeeded = (workers: readonly WorkerRecord[]): number =>
  workers.filter(({ status }) => status === 'completed').length

/** A third of three is one, whatever the binary fraction says. */
const met = (done: number, of: number, share: number): boolean => done >= Math.ceil(of * share - 1e-9)

/** Milliseconds since 1970 at which a worker could begin. */
export function readySince(record: SupervisorRecord, worker: WorkerRecord): number {
  const before = [
    ...worker.needs.map((need) => workerOf(record, need)),
    ...earlier(record, worker).flatMap((stage) => inStage(record, stage)),
  ]
  return Math.max(Date.parse(worker.opened_at), ...before.map((each) => Date.parse(each?.ended_at ?? worker.opened_at)))
}

/** The same supervisor, with these workers as they are here. */
export const withWorkers = (record: SupervisorRecord, changed: readonly WorkerRecord[]): SupervisorRecord => ({
  ...record,
  workers: { ...record.workers, ...Object.fromEntries(changed.map((worker) => [worker.id, worker])) },
})

/** The same supervisor, with `status` for those of these names. */
export const withStatus = (
  record: SupervisorRecord,
  ids: readonly string[],
  status: WorkerRecord['status'],
): SupervisorRecord =>
  withWorkers(
    record,
    ids.flatMap((id) => {
      const worker = workerOf(record, id)
      return worker === undefined ? [] : { ...worker, status }
    }),
  )

function lostBy(record: SupervisorRecord, { needs, ...worker }: WorkerRecord): string | undefined {
  const need = needs
    .map((each) => workerOf(record, each))
    .find((each) => each?.status === 'failed' || each?.status === 'skipped')
  if (need !== undefined) return `needs ${need.id}, which ${need.status === 'failed' ? 'failed' : 'was skipped'}`
  const missed = earlier(record, { needs, ...worker }).find((stage) => {
    const workers = inStage(record, stage)
    return workers.every(isOver) && !met(succeeded(workers), workers.length, record.min_success)
  })
  return missed === undefined ? undefined : `stage ${missed} missed its share`
}

const earlier = ({ stages }: SupervisorRecord, { stage }: WorkerRecord): readonly string[] =>
  stages.slice(0, Math.max(0, stages.indexOf(stage ?? '')))

const inStage = (record: SupervisorRecord, stage: string): readonly WorkerRecord[] =>
  workersOf(record).filter((worker) => worker.stage === stage)

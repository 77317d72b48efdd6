/*
 * Supervisors, their workers, and what is handed on of what the workers found.
 *
 *   pending ──begin──► running ──report──► completed
 *      │  └──────report──────┘│
 *      │                      └──fail──► failed ──retry──► pending
 *      │◄─who began it is lost┘
 *      └──a need failed──► skipped ──retry──► pending        (a stop skips all that is open)
 *
 * S1. A worker begins or reports only when all it needs is completed and, in stages, when every earlier stage is over and
 *     met the share.
 * S2. The plan has no cycle, and no two workers that may be at work at the same time claim the same file.
 * S3. What is completed stays: a retry takes up what failed or was skipped, and nothing else.
 * S4. The token of an attempt is the sequence number of the commit that began it, so it only grows; who comes with
 *     another token is refused.
 * S5. A supervisor ends in the commit in which its last worker is over: completed when all are, partial_success when the
 *     share is met, else failed.
 * S6. A worker that can no longer begin is skipped in the commit that made it so, with the reason.
 * S7. A summary has at most 50 words and there are at most two findings, whoever gave them.
 * S8. What somebody began who is lost waits for another, in the commit that says so.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Meta, type Tree } from '../../kernel/state/module.ts'
import type { Began, Planned, SupervisionEvent, SupervisionSlice, SupervisorRecord, WorkerRecord } from './events.ts'

export const supervisionModule = defineModule<SupervisionSlice, SupervisionEvent>({
  slice: 'supervision',
  initial: () => ({ supervisors: {} }),
  evolve: {
    'supervision.started': (slice, data, edit, meta) =>
      edit.set(slice.supervisors, data.supervisor, begun(edit.own(data), meta)),
    'supervision.worker-begun': (slice, { supervisor, worker, token, by }, edit, { at }) =>
      change(slice, { supervisor, worker }, edit, ({ attempts }) => ({
        status: 'running',
        token,
        attempts: attempts + 1,
        begun_at: at,
        ...(by === undefined ? {} : { by, reason: null }),
      })),
    'supervision.worker-returned': (slice, { supervisor, worker, reason }, edit, { at }) =>
      change(slice, { supervisor, worker }, edit, () => ({ ...UNTOUCHED, reason, opened_at: at })),
    'supervision.worker-reported': (slice, data, edit, { at }) =>
      over(slice, { ...edit.own(data), status: 'completed', reason: null, ended_at: at }, edit),
    'supervision.worker-failed': (slice, data, edit, { at }) =>
      over(slice, { ...edit.own(data), status: 'failed', ended_at: at }, edit),
    'supervision.worker-skipped': (slice, { supervisor, worker, reason }, edit, { at }) =>
      change(slice, { supervisor, worker }, edit, () => ({ status: 'skipped', reason, ended_at: at })),
    'supervision.retried': (slice, { supervisor, workers }, edit, { at }) => {
      for (const worker of workers) change(slice, { supervisor, worker }, edit, () => ({ ...UNTOUCHED, opened_at: at }))
      changeSupervisor(slice, supervisor, edit, { status: 'running', ended_at: null })
    },
    'supervision.ended': (slice, { supervisor, status }, edit, { at }) =>
      changeSupervisor(slice, supervisor, edit, { status, ended_at: at }),
  },
})

export const supervisionOf = (root: Readonly<Tree>): SupervisionSlice | undefined =>
  sliceOf<SupervisionSlice>(root, 'supervision')

export function recordOf(slice: SupervisionSlice | undefined, supervisor: string): SupervisorRecord | undefined {
  return slice !== undefined && Object.hasOwn(slice.supervisors, supervisor) ? slice.supervisors[supervisor] : undefined
}

export function workerOf(
  record: Pick<SupervisorRecord, 'workers'> | undefined,
  worker: string,
): WorkerRecord | undefined {
  return record !== undefined && Object.hasOwn(record.workers, worker) ? record.workers[worker] : undefined
}

const UNTOUCHED = {
  status: 'pending',
  token: null,
  begun_at: null,
  ended_at: null,
  duration_ms: null,
  timed: null,
  report: null,
  metrics: {},
  reason: null,
} as const

/** A worker nobody has touched. */
export const freshWorker = (planned: Planned, opened_at: string): WorkerRecord => ({
  ...planned,
  attempts: 0,
  ...UNTOUCHED,
  opened_at,
})

/** A supervisor as its start leaves it. */
function begun(
  { supervisor: id, kind, workers, waves, stages, min_success }: Began,
  { at }: Pick<Meta, 'at'>,
): SupervisorRecord {
  const fresh = workers.map((planned) => [planned.id, freshWorker(planned, at)] as const)
  return {
    id,
    kind,
    status: 'running',
    workers: Object.fromEntries(fresh),
    waves,
    stages,
    min_success,
    started_at: at,
    ended_at: null,
  }
}

interface Of {
  readonly supervisor: string
  readonly worker: string
}

type Over = Of & Pick<WorkerRecord, 'status' | 'duration_ms' | 'timed' | 'report' | 'metrics' | 'reason' | 'ended_at'>

function over(slice: SupervisionSlice, { supervisor, worker, ...rest }: Over, edit: Edit): void {
  change(slice, { supervisor, worker }, edit, ({ token, attempts }) => ({
    ...rest,
    attempts: token === null ? attempts + 1 : attempts,
  }))
}

function change(
  slice: SupervisionSlice,
  { supervisor, worker: id }: Of,
  edit: Edit,
  update: (worker: WorkerRecord) => Partial<WorkerRecord>,
): void {
  const record = recordOf(slice, supervisor)
  const worker = workerOf(record, id)
  if (record !== undefined && worker !== undefined) edit.set(record.workers, id, { ...worker, ...update(worker) })
}

function changeSupervisor(slice: SupervisionSlice, id: string, edit: Edit, update: Partial<SupervisorRecord>): void {
  const record = recordOf(slice, id)
  if (record !== undefined) edit.set(slice.supervisors, id, { ...record, ...update })
}

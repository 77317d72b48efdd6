/* What supervisors need: somebody decides when too few of their workers succeeded. */
import { sliceOf } from '../../kernel/state/module.ts'
import type { SupervisionSlice, SupervisorRecord } from '../supervision/events.ts'
import { command, type Found, type Looked } from './need.ts'

export function supervisionNeeds(looked: Looked): readonly Found[] {
  const { supervisors = {} } = sliceOf<SupervisionSlice>(looked.seen.state, 'supervision') ?? {}
  return Object.values(supervisors).flatMap((record) => failed(looked, record))
}

/** Stopped after a retry nobody has failed any more: it was given up, and needs nothing. */
function failed(looked: Looked, { id, status, workers, started_at, ended_at }: SupervisorRecord): readonly Found[] {
  const all = Object.values(workers)
  const reasons = all.flatMap((worker) => (worker.status === 'failed' ? `${worker.id}: ${worker.reason ?? ''}` : []))
  if (status !== 'failed' || reasons.length === 0) return []
  const done = all.filter((worker) => worker.status === 'completed').length
  return [
    {
      kind: 'FAILED',
      what: `supervisor ${id}`,
      why: `${done} of ${all.length} workers succeeded; ${reasons.join(', ')}`,
      since: ended_at ?? started_at,
      next: command(looked, 'supervise', 'retry', '--supervisor', id),
    },
  ]
}

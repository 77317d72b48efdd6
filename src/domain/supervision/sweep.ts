/* Workers of those who are lost. */
import { heldBefore, saidOfLoss, type Freed, type Lost, type Sweeper } from '../../kernel/care/recovery.ts'
import { workersOf } from './course.ts'
import type { SupervisionEvent, SupervisorRecord } from './events.ts'
import { supervisionOf } from './supervision.ts'

/** S8: the attempt is over, and its worker waits for another to begin. */
export const supervisionSweeper: Sweeper = {
  release: (root, lost) =>
    Object.values(supervisionOf(root)?.supervisors ?? {}).flatMap((record) => returned(record, lost)),
}

function returned(record: SupervisorRecord, lost: Lost): readonly Freed[] {
  const { id: supervisor } = record
  return workersOf(record).flatMap(({ id: worker, status, by = '', token }) => {
    const loss = lost.get(by)
    if (status !== 'running' || token === null || loss === undefined || !heldBefore(lost, by, token)) return []
    const reason = saidOfLoss(by, loss.cause)
    const event: SupervisionEvent = { type: 'supervision.worker-returned', data: { supervisor, worker, token, reason } }
    const what = `worker ${worker} of ${supervisor} (begun by ${by.replace(/^agent:/, '')})`
    return [{ kind: 'return' as const, what, events: [event] }]
  })
}

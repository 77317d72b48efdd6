/** What stands together on the board, from what waits to what is over. */
import type { TaskRow } from '../../../../src/domain/tasks/views.ts'

export const GROUPS = [
  'waiting',
  'ready',
  'claimed',
  'in_progress',
  'review',
  'blocked',
  'completed',
  'cancelled',
] as const

export type Group = (typeof GROUPS)[number]

/** A pending task is ready, or waits for others. */
export function groupOf({ status, ready }: Pick<TaskRow, 'status' | 'ready'>): Group {
  if (status === 'pending') return ready ? 'ready' : 'waiting'
  return status === 'assigned' ? 'claimed' : status
}

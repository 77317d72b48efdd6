/* How a session stood where it comes from: one that had ended ends here too, and one that was paused is suspended. */
import type { ImportPlan } from '../../kernel/exchange/importer.ts'
import { saidOf, textOf } from './members.ts'

type Ended = Pick<ImportPlan, 'ending' | 'rows'>

const ENDS: Readonly<Record<string, 'completed' | 'failed' | 'cancelled'>> = {
  terminated: 'completed',
  completed: 'completed',
  failed: 'failed',
  error: 'failed',
  cancelled: 'cancelled',
  aborted: 'cancelled',
}
const PAUSES: ReadonlySet<string> = new Set(['suspended', 'paused'])

/** `outcome`: where it is said beside the status, and not by it. */
export function endingOf(status: unknown, outcome?: unknown): Ended {
  const said = textOf(status) ?? ''
  if (PAUSES.has(said)) return ended(said, 'is suspended', { op: 'session.suspend', input: {} })
  if (said === 'terminating') return ended(said, 'is terminating', { op: 'session.terminate', input: {} })
  const end = saidOf(ENDS, said)
  if (end === undefined) return { rows: [] }
  const how = saidOf(ENDS, textOf(outcome) ?? '') ?? end
  return ended(said, `ends: ${how}`, { op: 'session.end', input: { outcome: how } })
}

const ended = (status: string, becomes: string, ending: NonNullable<ImportPlan['ending']>): Ended => ({
  rows: [{ what: `status: ${status}`, count: 1, becomes: `the session ${becomes}, unless --session names one` }],
  ending,
})

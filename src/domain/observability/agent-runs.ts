/* Runs of agent CLIs: which are at work, and what all of them used. */
import type { Seen } from '../../kernel/care/inbox.ts'
import { sliceOf } from '../../kernel/state/module.ts'
import type { ActivitySlice, AgentRun, Spent } from '../activity/events.ts'

/** Of one that nobody watches it is known by its hooks alone whether it is there; a tool may take long. */
const SILENT_MS = 3_600_000
/** One that is watched may be on another machine by now, where nobody sees that its watcher is gone. */
const UNHEARD_MS = 12 * SILENT_MS

export function runsIn(
  { state, lost }: Seen,
  now: number,
): { readonly atWork: readonly AgentRun[]; readonly spent: Spent } {
  const slice = sliceOf<ActivitySlice>(state, 'activity')
  const runs = Object.entries(slice?.runs ?? {})
  const dead = new Set(lost?.runs)
  const spent = { tokens: slice?.spent?.tokens ?? 0, cost_usd: slice?.spent?.cost_usd ?? 0 }
  for (const [, run] of runs) {
    spent.tokens += run.tokens
    spent.cost_usd += run.cost_usd
  }
  const atWork = runs.flatMap(([key, run]) => (!dead.has(key) && isAtWork(run, now) ? [run] : []))
  return { atWork, spent }
}

function isAtWork({ status, last_at, process: watcher }: AgentRun, now: number): boolean {
  if (status !== 'starting' && status !== 'working') return false
  return now - Date.parse(last_at) < (watcher === null ? SILENT_MS : UNHEARD_MS)
}

/* What runs of agent CLIs need: those that wait for an answer, and those whose watcher is gone. */
import { sliceOf } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { ActivitySlice, AgentRun } from '../activity/events.ts'
import { command, type Found, type Looked } from './need.ts'

/** What waits for longer was left behind: nobody says that a terminal was closed. */
const WAITS_MS = 12 * 3_600_000

export function agentNeeds(looked: Looked): readonly Found[] {
  const runs = sliceOf<ActivitySlice>(looked.seen.state, 'activity')?.runs ?? {}
  const dead = new Set(looked.seen.lost?.runs)
  return Object.entries(runs).flatMap(([key, run]) =>
    dead.has(key) ? [lost(looked, run)] : isWaiting(run, looked.now) ? [waiting(looked, run)] : [],
  )
}

const isWaiting = ({ status, last_at }: AgentRun, now: number): boolean =>
  status === 'waiting' && now - Date.parse(last_at) < WAITS_MS

const nameOf = ({ agent, run }: AgentRun): string => `${agent} ${run.slice(0, 8)}`

function lost({ seen, name }: Looked, run: AgentRun): Found {
  const why = seen.lost?.evidence.join('; ') ?? 'its process is gone'
  return { kind: 'LOST', what: nameOf(run), why, since: run.last_at, next: `steadfold recover ${quoted(name)}` }
}

function waiting(looked: Looked, run: AgentRun): Found {
  const why = run.reason ?? 'it waits for an answer'
  return {
    kind: 'ASK',
    what: nameOf(run),
    why,
    since: run.last_at,
    next: command(looked, 'activity', 'show', run.agent, run.run),
  }
}

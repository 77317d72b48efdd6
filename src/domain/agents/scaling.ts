/*
 * When a pool decides by itself: with every commit, of the queue as the commit leaves it.
 *
 * P6. A pool that is not manual grows in the commit that makes it too small; heartbeats are such commits, too.
 * P7. By itself it shrinks by one, and no sooner than REST_MS after its last decision.
 * P8. A predictive pool looks at its queue every SAMPLE_MS while something is written.
 * P9. The pool of a member whose team has `auto_scaling` turned off is left alone, whatever its policy.
 */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { Team } from '../organization/events.ts'
import type { TaskIndex } from '../tasks/events.ts'
import type { AgentEvent, AgentsSlice, Pool } from './events.ts'
import { targetOf } from './policy.ts'

const REST_MS = 30_000
const SAMPLE_MS = 50_000

export function scaling(root: Readonly<Tree>, { pool, types }: AgentsSlice, now: number): readonly AgentEvent[] {
  const automatic = Object.values(pool).filter(({ scaling_policy }) => scaling_policy !== 'manual')
  if (automatic.length === 0 || !isActive(root)) return []
  const depth = queueOf(root)
  const fixed = byHand(root)
  const free = automatic.filter(({ agent_type }) => !fixed.has(agent_type))
  return free.flatMap((each) => {
    const running = Object.hasOwn(types, each.agent_type) ? (types[each.agent_type] ?? 0) : 0
    return decided(each, { running, depth, now })
  })
}

/** Tasks that wait for an agent, or that one is working on. */
export function queueOf(root: Readonly<Tree>): number {
  const index = sliceOf<TaskIndex>(root, 'execution.task_index')
  return index === undefined ? 0 : index.ready.size + index.leases.size
}

interface Seen {
  readonly running: number
  readonly depth: number
  readonly now: number
}

function decided(pool: Pool, { running, depth, now }: Seen): readonly AgentEvent[] {
  const { agent_type, scaling_policy: policy, target: from, samples, last_decision: last } = pool
  const { to, trend, reason } = targetOf(pool, depth, now)
  const rests = last !== null && now - Date.parse(last.at) < REST_MS
  const scales = to > from || (to < from && !rests)
  const looks = policy === 'predictive' && now - (samples.at(-1)?.[0] ?? -Infinity) >= SAMPLE_MS
  const target = scales ? to : from
  return [
    ...(looks ? [{ type: 'pool.sampled', data: { agent_type, at_ms: now, depth, running, target } } as const] : []),
    ...(scales
      ? [{ type: 'pool.scaled', data: { agent_type, policy, from, to, running, depth, trend, reason } } as const]
      : []),
  ]
}

/** P9 */
function byHand(root: Readonly<Tree>): ReadonlySet<string> {
  const teams = sliceOf<{ readonly teams: Readonly<Record<string, Team>> }>(root, 'organization')?.teams ?? {}
  const fixed = Object.values(teams).filter(({ settings }) => settings?.auto_scaling === false)
  return new Set(fixed.flatMap(({ members }) => members.map(({ agent_id }) => agent_id)))
}

const isActive = (root: Readonly<Tree>): boolean =>
  sliceOf<{ readonly lifecycle: { readonly status: string } }>(root, 'session')?.lifecycle.status === 'active'

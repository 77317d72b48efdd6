/*
 * How many agents a pool should have.
 *
 * P1. The answer is never below min_instances nor above max_instances.
 * P2. manual: what a person said, brought within those bounds.
 * P3. demand: one agent for each `tasks_per_agent` waiting or worked on; more at once, fewer one at a time, so that a
 *     queue that breathes does not start and stop agents all the time.
 * P4. predictive: demand for the queue as it will be in a minute, by the straight line that fits the samples of the last
 *     ten minutes best, but for those of the last half minute: a burst is no trend. With a steady queue it is demand.
 * P5. A longer queue never means fewer agents.
 */
import type { Pool, Sample } from './events.ts'

const AHEAD_MS = 60_000
const LOOK_BACK_MS = 600_000
const BURST_MS = 30_000
const MINUTE_MS = 60_000

export interface Target {
  readonly to: number
  /** Tasks a minute by which the queue grows. */
  readonly trend: number
  readonly reason: string
}

type Sized = Pick<Pool, 'min_instances' | 'max_instances' | 'scaling_policy' | 'tasks_per_agent' | 'target' | 'samples'>

export function targetOf(pool: Sized, depth: number, now: number): Target {
  const samples = pool.samples.filter(([at]) => at <= now - BURST_MS && at >= now - LOOK_BACK_MS)
  const trend = trendOf([...samples, [now, depth]])
  if (pool.scaling_policy === 'manual') return { to: within(pool, pool.target), trend, reason: 'set by hand' }
  const ahead = pool.scaling_policy === 'predictive' ? Math.max(0, depth + (trend * AHEAD_MS) / MINUTE_MS) : depth
  const wanted = within(pool, Math.ceil(ahead / pool.tasks_per_agent))
  const to = wanted < pool.target ? within(pool, pool.target - 1) : wanted
  return { to, trend, reason: reasonOf(pool, { depth, ahead, wanted, to }) }
}

interface Found {
  readonly depth: number
  readonly ahead: number
  readonly wanted: number
  readonly to: number
}

function reasonOf(pool: Sized, { depth, ahead, wanted, to }: Found): string {
  const seen =
    pool.scaling_policy === 'predictive' ? `${depth} to do, ${Math.round(ahead)} in a minute` : `${depth} to do`
  const each = `${pool.tasks_per_agent} for each agent`
  return to === wanted ? `${seen}, ${each}` : `${seen}, ${each}: ${wanted} would do, one less at a time`
}

const within = ({ min_instances, max_instances }: Sized, count: number): number =>
  Math.min(max_instances, Math.max(min_instances, count))

/** Slope of the least squares line, in tasks a minute, to a hundredth. */
export function trendOf(samples: readonly Sample[]): number {
  const count = samples.length
  const middle = samples.reduce((sum, [at]) => sum + at, 0) / count
  const mean = samples.reduce((sum, [, depth]) => sum + depth, 0) / count
  const spread = samples.reduce((sum, [at]) => sum + (at - middle) ** 2, 0)
  if (count < 2 || spread === 0) return 0
  const slope = samples.reduce((sum, [at, depth]) => sum + (at - middle) * (depth - mean), 0) / spread
  // Adding 0 turns -0 into 0, which JSON can hold.
  return Math.round(slope * MINUTE_MS * 100) / 100 + 0
}

/** How well a workspace is, as figures against limits. */

/** Reached `warning` is a warning, reached `critical` a failure; where `critical` is the lesser one, less is worse. */
export interface Threshold {
  readonly warning: number
  readonly critical: number
}

/** Of what it is when nothing else is configured: bytes, facts, milliseconds, shares. */
export const THRESHOLDS = {
  /** Bytes of the largest log. */
  log_size: { warning: 200_000_000, critical: 1_000_000_000 },
  /** Facts that shells handed in and no session has. */
  spool_backlog: { warning: 100, critical: 1000 },
  /** How long ago the oldest lease ended that nobody renewed, gave back or told of, in ms. */
  lease_lag: { warning: 10_000, critical: 300_000 },
  /** Bytes that are free. */
  disk: { warning: 1_000_000_000, critical: 100_000_000 },
  /** How far the clock stands before the newest commit, in ms. */
  clock_skew: { warning: 1000, critical: 60_000 },
  /** Sessions whose log is damaged. */
  damage: { warning: 1, critical: 1 },
} as const satisfies Readonly<Record<string, Threshold>>

export type HealthName = keyof typeof THRESHOLDS
export type Thresholds = Readonly<Record<HealthName, Threshold>>
export type SomeThresholds = Partial<Readonly<Record<HealthName, Partial<Threshold>>>>

export interface Figure {
  readonly name: HealthName
  readonly value: number
  /** What the figure is of: a session, a folder. */
  readonly of: string
  /** What to do when it is not well. */
  readonly next: string
}

export interface HealthCheck {
  readonly name: HealthName
  readonly status: 'ok' | 'warn' | 'fail'
  readonly figure: number
  readonly of: string
  readonly threshold: Threshold
  /** Null while it is well. */
  readonly next: string | null
  /** ISO 8601. */
  readonly last_checked: string
}

export interface Health {
  readonly status: HealthCheck['status']
  readonly checks: readonly HealthCheck[]
}

/** The worst figure of each name counts. */
export function judge(figures: readonly Figure[], thresholds: Thresholds, now: number): Health {
  const names = [...new Set(figures.map(({ name }) => name))]
  const checks = names.map((name) => {
    const threshold = thresholds[name]
    const own = figures.filter((figure) => figure.name === name)
    const worst = own.reduce((a, b) => (isWorse(b.value, a.value, threshold) ? b : a))
    const status = statusOf(worst.value, threshold)
    const { value: figure, of, next } = worst
    return { name, status, figure, of, threshold, next: status === 'ok' ? null : next, last_checked: isoTime(now) }
  })
  const worst = (['fail', 'warn'] as const).find((status) => checks.some((check) => check.status === status))
  return { status: worst ?? 'ok', checks }
}

const isWorse = (a: number, b: number, { warning, critical }: Threshold): boolean =>
  critical < warning ? a < b : a > b

function statusOf(value: number, threshold: Threshold): HealthCheck['status'] {
  const reached = (limit: number) => !isWorse(limit, value, threshold)
  return reached(threshold.critical) ? 'fail' : reached(threshold.warning) ? 'warn' : 'ok'
}

const isoTime = (ms: number): string => new Date(ms).toISOString()

/*
 * How well an agent does, as a number from 0 to 1: of its heartbeats, those without an error, the last ones counting most.
 */
import type { AgentInstance } from './events.ts'

/** What one heartbeat weighs against all before it. */
const WEIGHT = 0.2
const DEGRADED_BELOW = 0.8
const CRITICAL_BELOW = 0.4
/** A lease of which less is left was not renewed when it could have been. */
const LATE_SHARE = 0.25

export function nextScore(score: number, errors: number): number {
  const next = score * (1 - WEIGHT) + (errors > 0 ? 0 : WEIGHT)
  return Math.min(1, Math.max(0, Math.round(next * 10_000) / 10_000))
}

export interface Health {
  readonly level: 'healthy' | 'degraded' | 'critical'
  readonly score: number
  readonly reasons: readonly string[]
}

export function healthOf({ health, status, reason, expires, ttl_ms }: AgentInstance, now: number): Health {
  const { performance_score: score, error_count } = health
  const left = expires - now
  const late = left < ttl_ms * LATE_SHARE
  const reasons = [
    ...(score < DEGRADED_BELOW ? [`${error_count} errors`] : []),
    ...(status === 'blocked' ? [`blocked${reason === null ? '' : `: ${reason}`}`] : []),
    ...(left < 0 ? ['lease over'] : late ? ['heartbeat late'] : []),
  ]
  const critical = score < CRITICAL_BELOW || left < 0
  return { level: critical ? 'critical' : reasons.length > 0 ? 'degraded' : 'healthy', score, reasons }
}

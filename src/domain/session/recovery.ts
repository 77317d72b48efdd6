import type { LostCause, Verdict } from '../../kernel/care/recovery.ts'
import type { Lease } from './events.ts'
import { leaseExpired } from './session.ts'

/** As an agent's end is told. */
export const causeOf = (cause: 'crashed' | 'expired'): LostCause => (cause === 'crashed' ? cause : 'timeout')

export interface Diagnosis {
  readonly cause: 'crashed' | 'expired'
  readonly evidence: readonly string[]
}

/** V1: undefined while the holder may well be at work. */
export function diagnose(lease: Lease, now: number, verdict: Verdict): Diagnosis | undefined {
  const expired = leaseExpired(lease, now)
  const age = expired ? [`lease expired ${ageText(now - lease.expires)} ago`] : []
  if (verdict.kind === 'dead') return { cause: 'crashed', evidence: [...age, ...verdict.reasons] }
  // A process that lives but let its lease go hangs, or was stopped: its token is fenced off when the lease is released.
  return expired ? { cause: 'expired', evidence: [...age, ...verdict.reasons] } : undefined
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** In the largest unit of which there are two. */
export function ageText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['s', 1000]
  return `${Math.round(ms / size)} ${unit}`
}

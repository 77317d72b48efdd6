/*
 * What recovering a lost session would do, as data: a dry run and the real thing show the same.
 *
 * V1. Lost is decided by evidence, never by how long nothing happened.
 * V2. Nothing is started; nothing is done without being asked.
 */

/** Whether a process still runs, as far as this machine can tell, and why. */
export interface Verdict {
  readonly kind: 'alive' | 'dead' | 'unknown'
  readonly reasons: readonly string[]
}

export interface RecoveryPlan {
  readonly session: string
  readonly name: string
  readonly holder: string
  /** Fencing token of the lease that is lost. */
  readonly token: number
  readonly cause: 'crashed' | 'expired'
  readonly evidence: readonly string[]
  /** ISO 8601: last commit of the session. */
  readonly last_seen: string
  readonly rebuild: {
    /** Sequence number of the checkpoint to start from; null for the whole log. */
    readonly checkpoint: number | null
    readonly commits: number
  }
  readonly release: readonly string[]
  /** Work that was under way: it is adopted, recorded or run again when the run goes on. */
  readonly return: readonly string[]
  /** The command that goes on. */
  readonly then: string
}

/*
 * What recovering a lost session would do, as data: a dry run and the real thing show the same.
 *
 * V1. Lost is decided by evidence, never by how long nothing happened.
 * V2. Nothing is started; nothing is done without being asked.
 * V3. What the lost held is free in the same commit that says they are lost. A person is no process: what `human:` holds
 *     stays until it ends by itself. So does what somebody took who went before and works again.
 */

import type { Event } from '../log/commit.ts'
import type { Tree } from '../state/module.ts'
import { quoted } from '../text/shell-word.ts'

/** Whether a process still runs, as far as this machine can tell, and why. */
export interface Verdict {
  readonly kind: 'alive' | 'dead' | 'unknown'
  readonly reasons: readonly string[]
}

/** A process, told apart from a later one with the same pid. */
export interface ProcessRef {
  readonly host: string
  /** Tells machines of one host name apart; left out where the machine does not say. */
  readonly machine?: string | undefined
  /** Changes at every start of the machine. */
  readonly boot_id: string
  /** Pids count inside a namespace only. */
  readonly pid_namespace: string
  readonly pid: number
  /** Start time of the process: clock ticks since boot, or what `ps` says where there is no /proc. */
  readonly started: string
}

/** Why an actor is lost: its process is gone, its lease is over, its parent is lost, or it went before. */
export type LostCause = 'crashed' | 'timeout' | 'orphaned' | 'gone'

export interface Loss {
  readonly cause: LostCause
  /** Sequence number of the commit that told it; infinite where none has. */
  readonly seq: number
}

/** Who is lost, by actor (`agent:a`). */
export type Lost = ReadonlyMap<string, Loss>

/** V3: whether what `actor` took in the commit `seq` was taken before it was lost. Who is told lost by the same commit went before. */
export const heldBefore = (lost: Lost, actor: string, seq: number): boolean => seq < (lost.get(actor)?.seq ?? -Infinity)

/** Why work of theirs waits for another: `agent dev: timeout`. */
export const saidOfLoss = (actor: string, cause: LostCause): string => `${actor.replace(':', ' ')}: ${cause}`

/** Something that a module lets go of, in words and as what it tells of it. */
export interface Freed {
  /** `release` goes back to nobody, `return` waits for another, `lost` says who is no longer there, `drop` leaves the state. */
  readonly kind: 'release' | 'return' | 'lost' | 'drop'
  readonly what: string
  readonly events: readonly Event[]
}

export interface Sweep {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Of the commit that tells it. */
  readonly seq: number
  readonly actor: string
  /** What is over ends here, too, for the reason that somebody recovers; else time has ended it before. */
  readonly recovers: boolean
}

/** A module's part in recovery and tidying. */
export interface Sweeper {
  /** V3: what the lost held. */
  readonly release?: (root: Readonly<Tree>, lost: Lost, sweep: Sweep) => readonly Freed[]
  /** What nobody needs any more since `before`, in milliseconds since 1970; the log keeps it. */
  readonly tidy?: (root: Readonly<Tree>, before: number) => readonly Freed[]
}

export const freedBy = (sweepers: readonly Sweeper[], root: Readonly<Tree>, lost: Lost, sweep: Sweep) =>
  lost.size === 0 && !sweep.recovers ? [] : sweepers.flatMap(({ release }) => release?.(root, lost, sweep) ?? [])

export const droppedBy = (sweepers: readonly Sweeper[], root: Readonly<Tree>, before: number) =>
  sweepers.flatMap(({ tidy }) => tidy?.(root, before) ?? [])

export interface RecoveryPlan {
  readonly session: string
  readonly name: string
  readonly holder: string
  /** Fencing token of the session's lease; null when nobody lost it, only agents are. */
  readonly token: number | null
  /** `overdue`: nobody is lost, but something is over that nobody has ended. */
  readonly cause: 'crashed' | 'expired' | 'overdue'
  readonly evidence: readonly string[]
  /** ISO 8601: last commit of the session. */
  readonly last_seen: string
  readonly rebuild: {
    /** Sequence number of the checkpoint to start from; null for the whole log. */
    readonly checkpoint: number | null
    readonly commits: number
  }
  /** Agents that are no longer there. */
  readonly lost: readonly string[]
  readonly release: readonly string[]
  /** Work that was under way: it is adopted, recorded or run again when the run goes on. */
  readonly return: readonly string[]
  /** Runs of agent CLIs whose process is gone, as `<agent>:<run>`. */
  readonly runs: readonly string[]
  /** The commands that come before the one that goes on: they wake the session, and take the runs up again. */
  readonly resume: readonly string[]
  /** The command that goes on. */
  readonly then: string
}

/** The plan for a session that takes nothing before it is resumed. */
export function asleep(plan: RecoveryPlan): RecoveryPlan {
  const wake = `steadfold session resume ${quoted(plan.name)}`
  return plan.resume.includes(wake) ? plan : { ...plan, resume: [wake, ...plan.resume] }
}

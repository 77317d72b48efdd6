/*
 * What needs a person, and what goes on: the one answer that the command line, a daemon, web pages and MCP show.
 *
 *   state, damage, evidence ──glance──► needs and a row ──inbox──► groups in a fixed order
 *
 * I1. It is derived: reading it changes nothing, and what time alone has ended is judged by now.
 * I2. Every need has an age, and a command that answers it.
 */
import type { Tree } from '../state/module.ts'
import type { RecoveryPlan } from './recovery.ts'

/** In the order in which they are shown: what blocks others comes before what broke, and that before what only waits. */
export const NEED_KINDS = [
  'DAMAGED',
  'ASK',
  'GATE',
  'LOST',
  'PARKED',
  'UNFINISHED',
  'DEADLOCK',
  'BLOCKED',
  'STOPPED',
  'FAILED',
  'DEAD',
  'EXPIRED',
  'MESSAGE',
] as const

export type NeedKind = (typeof NEED_KINDS)[number]

export interface Need {
  readonly kind: NeedKind
  /** Id of the session; empty, as its name is, for who belongs to none yet. */
  readonly session: string
  readonly name: string
  /** Who or what: `step lint`, `worker-3`. */
  readonly what: string
  readonly why: string
  /** ISO 8601. */
  readonly since: string
  readonly age_ms: number
  /** The command that answers it. */
  readonly next: string
}

/** A session as whoever reads it finds it. */
export interface Seen {
  readonly id: string
  readonly seq: number
  /** Time of the last commit, ISO 8601. */
  readonly updated_at: string
  readonly state: Readonly<Tree>
  readonly damaged: boolean
  /** That another workspace owns it. */
  readonly elsewhere?: boolean
  /** That its holder is gone, by evidence. */
  readonly lost: RecoveryPlan | undefined
}

/** One session at a glance. */
export interface SessionRow {
  readonly id: string
  readonly name: string
  /** `damaged`, `departed`, or its state of life; one past its expiry is `terminating`. */
  readonly status: string
  readonly goal: string | null
  readonly seq: number
  readonly updated_at: string
  /** Of the lease of the session. */
  readonly holder: string | null
  readonly workflow: {
    readonly name: string
    readonly current: string
    readonly terminal: string
    /** All of its steps. */
    readonly steps: number
    readonly finished: boolean
    /** Of the current state, by depth of needs: the first that is not done, counted from 1. */
    readonly wave: { readonly at: number; readonly of: number } | null
    readonly intent: { readonly from: string; readonly to: string; readonly at: string } | null
    readonly error: { readonly state: string; readonly reason: string; readonly at: string } | null
  } | null
  readonly steps: {
    readonly total: number
    readonly finished: number
    /** Under a lease that was not given up; what nobody runs is stopped. */
    readonly running: number
    readonly failed: number
    readonly parked: number
  }
  /** Machines on which its steps are worked off, that of the driver first. */
  readonly hosts: readonly { readonly host: string; readonly running: number }[]
  /** Agents whose lease lasts, and agent CLIs at work. */
  readonly agents: number
  readonly tasks: { readonly ready: number; readonly claimed: number }
  /** Of steps, agents and agent CLIs. */
  readonly tokens: number
  readonly cost_usd: number
}

export interface Glance {
  readonly row: SessionRow
  /** Damaged, or its holder is gone: nobody works in it. */
  readonly lost: boolean
  readonly needs: readonly Need[]
}

export interface InboxOptions {
  /** Ended, suspended and departed ones, too. */
  readonly all?: boolean
  /** Of sessions that cannot be looked at; see shut.ts. */
  readonly more?: readonly Need[]
}

export interface Inbox {
  readonly needs_you: readonly Need[]
  /** Somebody holds it, or agents work in it. */
  readonly working: readonly SessionRow[]
  /** Its workflow has come to its end. */
  readonly done: readonly SessionRow[]
  readonly idle: readonly SessionRow[]
  /** Ended and suspended; empty unless all are asked for. */
  readonly other: readonly SessionRow[]
  /** How many ended, suspended and departed ones are left out. */
  readonly hidden: number
}

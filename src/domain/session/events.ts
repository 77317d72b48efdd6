import type { ProcessRef } from '../../kernel/care/recovery.ts'
import type { Change } from './restore.ts'

export interface Lease {
  readonly holder: string
  /** Fencing token: only grows. */
  readonly token: number
  readonly acquired_at: string
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly process: ProcessRef | null
}

export type Mode = 'development' | 'leadership' | 'config' | 'emergency'

/** explicit: a person allows each; informed: announced, then after a delay; automatic: recorded. */
export type ConsentMode = 'explicit' | 'informed' | 'automatic'

export interface Preferences {
  readonly max_parallel_agents?: number
  /** Seconds. */
  readonly auto_persistence_interval?: number
  readonly consent_mode?: ConsentMode
}

export interface Configured {
  readonly preferences?: Preferences
  readonly auto_cleanup?: boolean
  /** Operations that want consent. */
  readonly gated?: readonly string[]
  /** How long an announcement stands before it counts as consent. */
  readonly delay_ms?: number
}

/** One agent's wish to do one gated operation, or a person's word about it beforehand. */
export interface Ask {
  readonly operation: string
  /** `*` for everybody. */
  readonly actor: string
  readonly note: string | null
  readonly status: 'asked' | 'granted' | 'denied'
  readonly asked_at: string
  /** Informed mode: goes on after this, in milliseconds since 1970. */
  readonly due: number | null
  /** How often it may still be done. */
  readonly uses: number
}

export interface ConsentSlice {
  gated: readonly string[]
  delay_ms: number
  /** `operation actor` -> what was asked or said. */
  asks: Record<string, Ask>
  /** Operation -> how often consent was used. */
  used: Record<string, number>
}

export interface Consenting {
  readonly consent: ConsentSlice
  readonly user_context: { readonly user_preferences?: Preferences }
}

/** What is gated without a mode asks for the most. */
export const modeOf = ({ user_context }: Consenting): ConsentMode =>
  user_context.user_preferences?.consent_mode ?? 'explicit'

/** When what is asked for may be done without an answer; null where it waits for one. The mode may have changed since. */
export const dueOf = (mode: ConsentMode, { due }: Pick<Ask, 'due'>): number | null => (mode === 'informed' ? due : null)

interface OfAsk {
  readonly operation: string
  readonly actor: string
}

export type ConsentEvent =
  | {
      readonly type: 'consent.asked'
      readonly data: OfAsk & { readonly note: string | null; readonly due: number | null }
    }
  | { readonly type: 'consent.granted'; readonly data: OfAsk & { readonly uses: number } }
  | { readonly type: 'consent.denied'; readonly data: OfAsk & { readonly reason: string | null } }
  | {
      readonly type: 'consent.used'
      readonly data: OfAsk & {
        /** The ask it rests on; null when the mode is automatic. */
        readonly ask: string | null
        readonly mode: ConsentMode
      }
    }

/** A workspace on some machine. */
export interface Place {
  /** Id of the workspace. */
  readonly place: string
  /** What people call the machine. */
  readonly device: string
}

export interface GitHead {
  readonly branch: string | null
  readonly commit: string | null
}

export interface Transport {
  /** Null until it arrives somewhere for the first time. */
  readonly owner: Place | null
  readonly departed: {
    readonly transfer: string
    /** That it left with. */
    readonly epoch: number
    readonly to: string | null
    readonly at: string
    /** Where it was then, and what git said there. */
    readonly root?: string
    readonly git?: GitHead
  } | null
  /** Folders that the project lay in on other machines: paths below them lie below `user_context.workspace_path` now. */
  readonly roots?: readonly string[]
  /** That it was on, in the order in which it came there. */
  readonly devices: readonly string[]
  readonly shared_with: readonly string[]
}

export type TransportEvent =
  | {
      readonly type: 'session.departed'
      readonly data: {
        readonly transfer: string
        readonly epoch: number
        readonly to: string | null
        readonly from: Place
        /** Folder of the project over there. */
        readonly root?: string
        readonly git?: GitHead
      }
    }
  | {
      readonly type: 'session.departure-cancelled'
      readonly data: { readonly transfer: string; readonly epoch: number; readonly place: Place }
    }
  | {
      readonly type: 'session.arrived'
      readonly data: {
        readonly transfer: string
        readonly epoch: number
        readonly place: Place
        /** Folder of the project there. */
        readonly root: string | null
      }
    }
  | { readonly type: 'session.shared'; readonly data: { readonly with: readonly string[] } }

export type SessionEvent =
  | ConsentEvent
  | TransportEvent
  | {
      readonly type: 'session.created'
      readonly data: {
        readonly id: string
        readonly name: string
        readonly goal: string | null
        readonly mode: string
        readonly context: Readonly<Record<string, unknown>>
        /** It stays initializing until it is activated. */
        readonly hold?: true
      }
    }
  | { readonly type: 'session.activated'; readonly data: Record<string, never> }
  | { readonly type: 'session.configured'; readonly data: Configured }
  | { readonly type: 'session.expiry-set'; readonly data: { readonly expiry: string | null } }
  | { readonly type: 'session.expired'; readonly data: { readonly expiry: string } }
  | { readonly type: 'session.termination-begun'; readonly data: { readonly reason: string | null } }
  | { readonly type: 'session.recovery-begun'; readonly data: Record<string, never> }
  | { readonly type: 'session.renamed'; readonly data: { readonly name: string } }
  | { readonly type: 'session.suspended'; readonly data: Record<string, never> }
  | { readonly type: 'session.resumed'; readonly data: Record<string, never> }
  | { readonly type: 'session.ended'; readonly data: { readonly outcome: Outcome } }
  | { readonly type: 'session.marked'; readonly data: { readonly name: string; readonly seq: number } }
  | { readonly type: 'session.unmarked'; readonly data: { readonly name: string } }
  | { readonly type: 'session.lease-acquired'; readonly data: Lease }
  | { readonly type: 'session.lease-renewed'; readonly data: { readonly token: number; readonly expires: number } }
  | { readonly type: 'session.lease-released'; readonly data: { readonly token: number } }
  | {
      readonly type: 'session.recovered'
      readonly data: { readonly cause: string; readonly evidence: readonly string[] }
    }
  | {
      readonly type: 'session.repaired'
      readonly data: { readonly seq: number; readonly reason: string; readonly aside: readonly string[] }
    }
  | {
      readonly type: 'session.forked'
      readonly data: {
        readonly id: string
        readonly name: string
        readonly from: { readonly session: string; readonly seq: number; readonly hash: string }
      }
    }
  | {
      /** Rule -> how often it took something out of this commit, or of what it names. */
      readonly type: 'session.redacted'
      readonly data: { readonly rules: Readonly<Record<string, number>> }
    }
  | { readonly type: 'session.restored'; readonly data: { readonly to: number; readonly changes: readonly Change[] } }

export type Outcome = 'completed' | 'failed' | 'cancelled'

/** See the table in life.ts. */
export type Lifecycle = 'initializing' | 'active' | 'suspended' | 'recovering' | 'terminating' | 'terminated'

/** It takes no work before somebody resumes it. */
export const isResting = ({ status }: { readonly status: string }): boolean =>
  status === 'suspended' || status === 'recovering'

export interface UserContext extends Readonly<Record<string, unknown>> {
  readonly user_preferences?: Preferences
}

export interface SessionSlice {
  id: string
  name: string
  goal: string | null
  mode: string
  created_at: string
  user_context: UserContext
  lifecycle: {
    status: Lifecycle
    outcome: string | null
    ended_at: string | null
    expiry: string | null
    auto_cleanup: boolean
  }
  consent: ConsentSlice
  lease: Lease | null
  marks: Record<string, number>
  lineage: { readonly session: string; readonly seq: number; readonly hash: string }[]
  recoveries: number
  /** Rule -> how many secrets were taken out before they were written; absent while there were none. */
  redactions?: Record<string, number>
  /** Grows whenever another machine may own the session. */
  epoch: number
  transport: Transport
}

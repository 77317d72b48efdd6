import type { Change } from './restore.ts'

/** The process behind a lease, told apart from a later one with the same pid. */
export interface ProcessRef {
  readonly host: string
  /** Changes at every start of the machine. */
  readonly boot_id: string
  /** Pids count inside a namespace only. */
  readonly pid_namespace: string
  readonly pid: number
  /** Start time of the process in clock ticks since boot. */
  readonly started: string
}

export interface Lease {
  readonly holder: string
  /** Fencing token: only grows. */
  readonly token: number
  readonly acquired_at: string
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly process: ProcessRef | null
}

export type SessionEvent =
  | {
      readonly type: 'session.created'
      readonly data: {
        readonly id: string
        readonly name: string
        readonly goal: string | null
        readonly mode: string
        readonly context: Readonly<Record<string, unknown>>
      }
    }
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
  | { readonly type: 'session.restored'; readonly data: { readonly to: number; readonly changes: readonly Change[] } }

export type Outcome = 'completed' | 'failed' | 'cancelled'

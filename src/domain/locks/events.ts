import type { Heap } from '../../kernel/state/heap.ts'

export type LockMode = 'exclusive' | 'shared'

/** Why a lock was taken from its holder. */
export const BREAK_CAUSES = ['holder-gone', 'stuck', 'deadlock', 'emergency', 'mistake'] as const

export type BreakCause = (typeof BREAK_CAUSES)[number]

interface Of {
  readonly resource: string
  /** An actor, or an actor and one of its activities: `agent:a` or `agent:a 1f3c`. */
  readonly holder: string
}

export interface Hold {
  readonly holder: string
  readonly mode: LockMode
  /** Fencing token: sequence number of the commit that granted it. */
  readonly token: number
  readonly reason: string | null
  readonly locked_at: string
  readonly ttl_ms: number
  /** Milliseconds since 1970; the lock is over at that moment. */
  readonly expires: number
}

export interface Waiter {
  readonly holder: string
  readonly mode: LockMode
  /** Place in the queue: sequence number of the commit that asked. */
  readonly ticket: number
  readonly reason: string | null
  readonly queued_at: string
  /** How long it will hold the lock when it gets it. */
  readonly ttl_ms: number
  /** Milliseconds since 1970; it gives up at that moment. */
  readonly until: number
}

export type Granted = Of & Omit<Hold, 'holder' | 'locked_at'>
export type Queued = Of & Omit<Waiter, 'holder' | 'queued_at'>
interface Ended extends Of {
  readonly token: number
}

export type LockEvent =
  | { readonly type: 'lock.granted'; readonly data: Granted }
  | { readonly type: 'lock.queued'; readonly data: Queued }
  | {
      readonly type: 'lock.renewed'
      readonly data: Ended & { readonly mode: LockMode; readonly ttl_ms: number; readonly expires: number }
    }
  | { readonly type: 'lock.released'; readonly data: Ended }
  | { readonly type: 'lock.expired'; readonly data: Ended }
  | {
      readonly type: 'lock.broken'
      readonly data: Ended & { readonly cause: BreakCause; readonly by: string; readonly note: string | null }
    }
  /** `timeout`: it waited until its time was over; `withdrawn`: it asked no more. */
  | { readonly type: 'lock.wait-ended'; readonly data: Of & { readonly cause: 'timeout' | 'withdrawn' } }

/** A resource that somebody holds; what nobody holds has no entry. */
export interface LockRecord {
  readonly resource: string
  readonly holders: readonly Hold[]
  /** By ticket. */
  readonly queue: readonly Waiter[]
}

export interface LocksSlice {
  resources: Record<string, LockRecord>
  /** Resources by the moment at which time alone changes something about them. */
  deadlines: Heap
}

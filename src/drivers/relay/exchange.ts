/* What a store and a relay owe each other, and what went between them. */
import type { RelayEvent } from './link.ts'

/** What the store owes the relay, and what it lacks. */
export interface Exchange {
  readonly since: number
  readonly kinds: readonly number[]
  readonly conversations: readonly string[]
  /** Those of them whose past this relay has not been asked for. */
  readonly fresh: readonly string[]
  readonly outbox: readonly RelayEvent[]
  /** Those that it did not want. */
  readonly refused: readonly RelayEvent[]
  readonly missing: readonly string[]
}

export interface ChatStore {
  exchange(relay: string): Promise<Exchange>
  /** Answers how many were new. `of`: what belongs to other conversations is left. */
  ingest(events: readonly RelayEvent[], relay: string, of?: readonly string[]): Promise<number>
  synced(note: SyncedNote): Promise<void>
  /** Until somebody writes to the store, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>
}

interface SyncedNote {
  readonly relay: string
  readonly since?: number
  readonly published?: readonly { readonly id: string; readonly refused: string | null }[]
  readonly whole?: readonly string[]
}

export interface Exchanged {
  readonly relay: string
  received: number
  published: number
  /** For good. */
  refused: number
  /** Not taken this time; offered again. */
  waiting: number
  /** What the relay said of one that it did not take. */
  why: string | null
}

export const emptyExchange = (relay: string): Exchanged => ({
  relay,
  received: 0,
  published: 0,
  refused: 0,
  waiting: 0,
  why: null,
})

/** A past fact: named `module.past-participle`, with all data needed to fold it. */
export interface Event {
  readonly type: string
  readonly data: unknown
}

/** One accepted operation: one line of the log, 1..n events, atomic. */
export interface Commit {
  readonly v: 1
  /** Position in the session, from 1, without holes. */
  readonly seq: number
  /** ISO 8601, UTC, milliseconds; never goes backwards in a log (L8). */
  readonly at: string
  /** UUID v7 of the request; the same request keeps it over all its attempts. */
  readonly id: string
  /** `human:`, `agent:` or `tool:` and an id. */
  readonly actor: string
  readonly op: string
  /** Id of the commit that led to this one. */
  readonly cause: string | null
  /** Idempotency key (L7). */
  readonly key?: string
  /** Why, in the words of who asked. */
  readonly reason?: string
  /**
   * Which of the events the operation told its caller, from the first to behind the last; left out when it told all. Before
   * them stands what time brought about, behind them what followed.
   */
  readonly own?: readonly [from: number, to: number]
  readonly events: readonly Event[]
  readonly prev: string
  readonly hash: string
}

/** A commit before it has a place in a chain. */
export type Draft = Omit<Commit, 'v' | 'prev' | 'hash'>

/** `prev` of the first commit. */
export const GENESIS = '0'.repeat(64)

/** The operation and the event that end a segment. */
export const SEAL_OP = 'log.seal'
export const SEAL_EVENT = 'log.sealed'

/** The event that says what was taken out of a commit, or of blobs that it names. */
export const REDACTED_EVENT = 'session.redacted'

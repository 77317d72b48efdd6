import { failure, type Refusal } from '../decision.ts'
import type { Event } from '../log/commit.ts'

export interface Accepted<Value = unknown> {
  readonly kind: 'accepted'
  /** Sequence number of the commit; the current one when there was nothing to do. */
  readonly seq: number
  readonly events: readonly Event[]
  /** What the operation tells besides; the same again where the key had been used before. */
  readonly value: Value
  /** True when the key had been used before: this is the first answer again (L7). */
  readonly repeated?: boolean
}

/** What `run` answers: the rule's yes with its place in the log, or its no. */
export type Answer<Value = unknown> = Accepted<Value> | Refusal

/** What was answered, where a no is an error: of a rule from which nothing else follows. */
export function accepted<Value>(answer: Answer<Value>): Accepted<Value> {
  if (answer.kind === 'accepted') return answer
  throw failure(answer)
}

export interface RunOptions {
  /** Idempotency key: the same key gives the first answer again and adds nothing (L7). */
  readonly key?: string | undefined
  /** `human:`, `agent:` or `tool:` and an id. */
  readonly actor?: string | undefined
  /** Refused as a conflict unless the session stands at this sequence number (L4). */
  readonly ifSeq?: number | undefined
  /** For reads: as it was then. `@`, `@-3`, `17`, a mark, `2h`, an ISO time. */
  readonly at?: string | number | undefined
  /** Id of the commit that led to this one. */
  readonly cause?: string | undefined
  readonly reason?: string | undefined
  /** `relaxed`: acknowledged before the sync. */
  readonly durability?: 'durable' | 'relaxed' | undefined
  /** Decide only; nothing is written. */
  readonly dryRun?: boolean | undefined
}

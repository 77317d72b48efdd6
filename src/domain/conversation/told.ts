/* What the events of a conversation come to. */
import type { Phase, Member } from './events.ts'
import type { MoveKind } from './phases.ts'

/** What a turn comes to at its deadline when only some have completed. */
export const PARTIAL_POLICIES = ['wait', 'accept', 'fail'] as const

export type PartialPolicy = (typeof PARTIAL_POLICIES)[number]

export interface Completion {
  readonly agent: string
  readonly event: string
  /** Seconds since 1970. */
  readonly at: number
  readonly summary: string
  /** After the deadline, where that ends the turn: recorded, does not count. */
  readonly late: boolean
}

export interface Turn {
  /** Id of the event that routed. */
  readonly id: string
  readonly at: number
  readonly phase: Phase
  readonly agents: readonly string[]
  readonly reason: string
  readonly deadline: number | null
  readonly partial: PartialPolicy
  readonly completions: Completion[]
  isCompleted: boolean
}

/** A completion by somebody whom no open turn holds. */
export interface StrayCompletion {
  readonly agent: string
  readonly event: string
  readonly why: 'unknown agent' | 'no open turn'
}

export interface Transition {
  readonly event: string
  readonly from: Phase
  readonly to: Phase
  readonly kind: MoveKind
  /** Not in the table, carried out since the table only advises. */
  readonly violation: boolean
  /** Seconds since 1970. */
  readonly at: number
  readonly author: string
  readonly reason: string
  readonly message: string
}

/** What an event asked for and did not get. */
export interface Violation {
  readonly event: string
  readonly why: string
}

export interface Story {
  /** Author of the first event. */
  opener: string
  title: string
  phase: Phase
  phase_started_at: number
  archived: boolean
  readonly members: Map<string, Member>
  readonly transitions: Transition[]
  readonly violations: Violation[]
  readonly turns: Turn[]
  readonly strays: StrayCompletion[]
}

/* One piece of work, its attempts, and what becomes of them. */
import type { Command } from '../domain/steps/events.ts'
import type { Verdict } from '../domain/steps/failure.ts'
import type { Spending, FailureClass } from '../kernel/work/runner.ts'

export interface Work {
  readonly key: string
  readonly name: string
  readonly state: string | null
  readonly command: NonNullable<Command>
  readonly env: Readonly<Record<string, string>>
  readonly artifacts: readonly string[]
  /** Path of the Markdown it writes; one of the artifacts. */
  readonly report?: string | undefined
  readonly repeatable: boolean
  /** When it is stopped. */
  readonly timeout_ms?: number | undefined
  /** Most steps of its state at once. */
  readonly most?: number | undefined
  /** Put before the names of its outputs; null keeps them in the ledger only. */
  readonly prefix: string | null
  /** Whether it is tried again by itself after such a failure; never, where this is left out. */
  readonly again?: ((failure: Failed) => boolean) | undefined
}

export interface Failed extends Verdict {
  readonly interrupted: boolean
}

export interface Attempt {
  readonly token: number
  readonly number: number
  readonly dir: string
}

export type Outcome =
  | (Spending & { readonly kind: 'finished' })
  | {
      readonly kind: 'failed'
      readonly class: FailureClass
      readonly reason: string
      readonly exit: number | null
      readonly interrupted: boolean
      /** It is tried again by itself. */
      readonly again: boolean
      readonly parked: boolean
      readonly tail: string
      readonly spent: Spending
    }
  /** B2 of attempt.ts */
  | { readonly kind: 'dropped' }

export type Performed =
  /** It was finished when this run began. */
  | { readonly kind: 'kept' }
  | { readonly kind: 'reused'; readonly cost: Spending }
  /** `held`: by the breaker of that family of commands. */
  | { readonly kind: 'later'; readonly until: number; readonly held?: string | undefined }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'parked'; readonly reason: string }
  | { readonly kind: 'over'; readonly attempt: number; readonly outcome: Outcome }

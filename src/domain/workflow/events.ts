import type { FailureClass } from '../../kernel/work/runner.ts'
import type { Definition } from './definition.ts'

/** Why a state's work did not succeed. */
export interface ErrorState {
  /** What was said last; null once its work goes on again. */
  readonly last_error: string | null
  readonly class: FailureClass
  readonly failed_state: string
  /** Retries since it first failed, or since a person approved one. */
  readonly retry_count: number
  readonly limit: number
  readonly at: string
  readonly actor: string
}

/** Otherwise a person approves it. */
export const mayRetry = ({ class: kind, retry_count, limit }: Omit<ErrorState, 'at' | 'actor'>): boolean =>
  kind === 'transient' && retry_count < limit

/** Whether a gate before `state` waits for nobody any more; one before no state waits wherever the workflow stands. */
export const hasLeft = (workflow: Whereabouts | undefined, state: string | null): boolean =>
  workflow !== undefined && state !== null && (workflow.completed_at !== null || workflow.current !== state)

export interface Whereabouts {
  readonly current: string
  readonly completed_at: string | null
}

/** A transition that was made although the definition does not allow it. */
export interface Violation {
  readonly from: string
  readonly to: string
  readonly allowed: readonly string[]
  readonly at: string
  readonly seq: number
  readonly actor: string
}

export interface Intent {
  readonly from: string
  readonly to: string
  /** Sequence number of the commit that told it. */
  readonly token: number
  readonly actor: string
  readonly at: string
}

/** The step that is the command between intent and outcome. */
export const handlerOf = ({ to, token }: Pick<Intent, 'to' | 'token'>): string => `${to}:handler@${token}`
export const isHandler = (step: string): boolean => /:handler@\d+$/.test(step)

/** What a checkpoint file said about the work beside its states. */
export interface Notes {
  readonly description: string | null
  readonly command: string | null
  readonly status: string | null
  readonly tests_passing: boolean | null
  /** Path of the plan. */
  readonly plan: string | null
  /** Seconds since 1970. */
  readonly plan_modified: number | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly project?: string
  /** What its configuration says beside scope, description and command. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Members that nobody here reads; they come out again with an export. */
  readonly others?: Readonly<Record<string, unknown>>
}

export interface Imported {
  readonly version: string
  readonly definition: Definition
  readonly current: string
  readonly scope: string | null
  readonly completed: readonly string[]
  readonly error: Pick<ErrorState, 'last_error' | 'failed_state' | 'retry_count'> | null
  readonly notes: Notes
  readonly phase_data: Readonly<Record<string, unknown>>
  readonly supervisor_state: Readonly<Record<string, unknown>>
  /** The file as it was, as a blob of the session. */
  readonly original: { readonly sha256: string; readonly bytes: number } | null
}

export type WorkflowEvent =
  | {
      readonly type: 'workflow.defined'
      readonly data: {
        readonly definition: Definition
        readonly current: string
        readonly scope: string | null
        /** Folder of the file it came from, relative to the project where it lies inside; null when there was no file. */
        readonly folder: string | null
      }
    }
  | { readonly type: 'workflow.imported'; readonly data: Imported & { readonly limit: number } }
  | { readonly type: 'workflow.transition-intended'; readonly data: Pick<Intent, 'from' | 'to' | 'token'> }
  | { readonly type: 'workflow.transitioned'; readonly data: { readonly from: string; readonly to: string } }
  /** Told before the intent, in a workflow that is advisory. */
  | { readonly type: 'workflow.violated'; readonly data: Pick<Violation, 'from' | 'to' | 'allowed'> }
  | {
      readonly type: 'workflow.failed'
      readonly data: {
        readonly state: string
        readonly class: FailureClass
        readonly reason: string
        readonly limit: number
      }
    }
  /** The work of a failed state goes on; an approved retry begins to count anew. */
  | {
      readonly type: 'workflow.retried'
      readonly data: { readonly state: string; readonly retry: number; readonly approved: boolean }
    }
  | { readonly type: 'workflow.transition-abandoned'; readonly data: { readonly from: string; readonly to: string } }
  /** All work of the terminal state is done. */
  | { readonly type: 'workflow.completed'; readonly data: Record<string, never> }
  /** A finished workflow begins again; results of steps are kept. */
  | { readonly type: 'workflow.restarted'; readonly data: { readonly initial: string } }

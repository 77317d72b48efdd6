/*
 * What surfaces may ask of the runner, and what it tells them while it works: data, which a surface shows as it likes.
 *
 *   surface ──runWorkflow──► runner ──operations──► session
 *           ◄──RunEvent────        ──processes──► workers
 */
import type { ErrorCode } from '../error.ts'
import type { Session } from '../session.ts'
import type { OnOutput } from './worker.ts'

export type FailureClass = 'transient' | 'terminal' | 'timeout' | 'unknown'

export interface Spending {
  readonly tokens: number
  readonly cost_usd: number
  readonly duration_ms: number
}

/** Where a run goes on: what is kept, and what a runner that died left behind. */
export interface Resumed {
  /** Sequence number at which the session was found. */
  readonly seq: number
  /** Finished steps; they do not run again. */
  readonly kept: readonly string[]
  /** Steps of the workflow that are not finished. */
  readonly to_run: readonly string[]
  /** Steps whose result was found beside the worker: it ended while no runner lived. Also in `kept` when it succeeded. */
  readonly recorded: readonly string[]
  /** Steps whose worker is still alive: it is waited for, not started again. */
  readonly adopted: readonly string[]
  /** Steps that died between effect and record. */
  readonly unknown: readonly { readonly step: string; readonly action: 'runs again' | 'parked' }[]
  /** What the kept steps had cost. */
  readonly saved: Spending
}

export interface StepNote {
  readonly step: string
  readonly state: string
}

export type RunEvent =
  | {
      readonly type: 'run-started'
      readonly session: RunSession
      readonly workflow: string
      readonly resumed: Resumed | null
      /** It had come to its end before, and begins anew. */
      readonly again: boolean
    }
  | {
      readonly type: 'state-entered'
      readonly state: string
      readonly mode: 'parallel' | 'waves' | 'stages'
      /** Steps by depth of their needs (or by stage): a view, not an order of starting. */
      readonly waves: readonly (readonly string[])[]
    }
  | (StepNote & { readonly type: 'step-started'; readonly attempt: number; readonly pid: number })
  | (StepNote & { readonly type: 'step-adopted'; readonly attempt: number; readonly pid: number })
  | (StepNote & Spending & { readonly type: 'step-finished'; readonly attempt: number })
  /** The same key had finished before: its result is taken, nothing is paid. */
  | (StepNote & Spending & { readonly type: 'step-reused' })
  | (StepNote & {
      readonly type: 'step-failed'
      readonly attempt: number
      readonly class: FailureClass
      readonly reason: string
      readonly exit: number | null
      /** Delay before the next attempt; null when there is none. */
      readonly retry_ms: number | null
      /** What failed too often in a row, where that is why the delay is longer than its own. */
      readonly breaker: string | null
      /** The last lines the step wrote. */
      readonly tail: string
    })
  | (StepNote & { readonly type: 'step-parked'; readonly reason: string; readonly next: string })
  | (StepNote & { readonly type: 'step-skipped'; readonly reason: string })
  /** Only when asked for with `follow`. */
  | (StepNote & { readonly type: 'step-output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array })
  /** SIGTERM (soft) or SIGKILL (hard) went to the step's process group. */
  | (StepNote & { readonly type: 'step-stopping'; readonly signal: 'SIGTERM' | 'SIGKILL'; readonly reason: string })
  | {
      readonly type: 'state-left'
      readonly state: string
      readonly to: string | null
      readonly succeeded: number
      readonly of: number
    }
  /** Nothing can start before `until` (ms since 1970), unless `next` is done. */
  | { readonly type: 'waiting'; readonly reason: string; readonly until: number; readonly next: string | null }
  | {
      readonly type: 'progress'
      readonly state: string
      readonly done: number
      readonly running: number
      readonly failed: number
      readonly total: number
      /** Estimated from measured durations; null while nothing is known. */
      readonly left_ms: number | null
    }
  | { readonly type: 'warning'; readonly message: string }

export interface RunSession {
  readonly id: string
  readonly name: string
}

/**
 * completed: the terminal state was reached · partial: it was, but some steps failed (exit 10) · failed: a state missed its
 * share · needs-person: parked steps or an approval gate are in the way (exit 11) · interrupted: stopped by the signal.
 */
export type RunStatus = 'completed' | 'partial' | 'failed' | 'needs-person' | 'interrupted'

export interface RunResult {
  readonly status: RunStatus
  readonly session: RunSession
  readonly workflow: string
  /** State the workflow stands in. */
  readonly state: string
  readonly seq: number
  readonly resumed: Resumed | null
  /** Names of steps by what became of them in this run. */
  readonly steps: {
    readonly ran: readonly string[]
    readonly reused: readonly string[]
    readonly failed: readonly string[]
    readonly parked: readonly string[]
    readonly skipped: readonly string[]
  }
  readonly spent: Spending
  /** What kept and reused steps would have cost again. */
  readonly saved: Spending
  /** Its exit status is that of the run. Undefined when `completed` (0), and when `interrupted` (130 or 143, of the signal). */
  readonly code: ErrorCode | undefined
  /** What stands in the way, and the command that goes on. */
  readonly message: string
  readonly hint: string | undefined
}

export interface RunOptions {
  /** Id or name, or an open session. Default: the active session of this workflow's name, else a new one. */
  readonly session?: string | Session | undefined
  /** Steps at the same time, whatever a state allows: 8 when left out. */
  readonly maxParallel?: number | undefined
  readonly actor?: string | undefined
  /** Tell what the steps write while they write it. */
  readonly follow?: boolean | undefined
  /** Wait for gates and parked steps to be released, instead of ending with NEEDS_PERSON. */
  readonly wait?: boolean | undefined
  /** Called with what happens. Once it throws it hears no more; the run goes on. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Stops it: what it has begun is `interrupted`. One that has aborted before begins nothing: its reason is thrown. */
  readonly signal?: AbortSignal | undefined
  /** How long its steps are its own once it is not heard of; 30,000 when left out. */
  readonly lease_ms?: number | undefined
}

export interface RunWorkflow extends RunOptions {
  /** Path of a YAML file. */
  readonly file?: string | undefined
  /** What it would say, instead. Without both, `session` goes on with the workflow that it has. */
  readonly definition?: unknown
}

export interface TakeSteps extends RunOptions {
  readonly session: string | Session
}

export interface RunCommand extends RunOptions {
  /** Program and arguments, no shell. */
  readonly argv: readonly string[]
  readonly name?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly repeatable?: boolean | undefined
}

export interface Once {
  readonly session: string | Session
  readonly key: string
  readonly argv: readonly string[]
  /** The command reads this process's stdin, which nobody else may read then; it reads nothing when left out. */
  readonly stdin?: 'inherit' | undefined
  /** May run again when its outcome is unknown. */
  readonly repeatable?: boolean | undefined
  readonly timeout_ms?: number | undefined
  readonly actor?: string | undefined
  /**
   * Called with what the command writes while it runs, or with what was kept. Once it throws it hears no more; where it answers
   * false it hears the rest later. The command goes on.
   */
  readonly onOutput?: OnOutput | undefined
  /** Called with the reason each time it begins to wait. */
  readonly onWait?: ((why: string) => void) | undefined
  /** Stops it; one that has aborted before begins nothing: its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

export interface OnceResult {
  /** `waited`: another process was running it. */
  readonly kind: 'ran' | 'replayed' | 'waited'
  readonly exit: number
  /** Why it failed. */
  readonly reason?: string
  /** What was kept of these is less than the command wrote: their end, or nothing. Of one that ran here all was told. */
  readonly truncated: readonly ('stdout' | 'stderr')[]
  /** Of them those of which nothing is left: what was kept is gone, or altered. */
  readonly lost: readonly ('stdout' | 'stderr')[]
  readonly seq: number
  readonly duration_ms: number
  readonly tokens: number
  readonly cost_usd: number
}

/**
 * Throws EngineError (WORKFLOW_INVALID, LEASE_HELD, KEY_REUSED, NEEDS_PERSON …), and the reason of a signal that has aborted
 * before; what became of steps is in the result.
 */
export interface Runner {
  runWorkflow(options: RunWorkflow): Promise<RunResult>
  /** Takes steps of a workflow that another runner drives, until it is complete; drives it when that one is lost. */
  takeSteps(options: TakeSteps): Promise<RunResult>
  runCommand(options: RunCommand): Promise<RunResult>
  once(options: Once): Promise<OnceResult>
  /** Reads and checks a workflow file; throws WORKFLOW_INVALID with file, line and column. The answer is for `workflow.define`. */
  loadWorkflow(file: string): Promise<unknown>
}

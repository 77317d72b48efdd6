/*
 * What the command line is handed by the entries beside compose.ts: it knows only the kernel.
 */
import type { Catalogue } from '../../kernel/operation.ts'
import type { Session } from '../../kernel/session.ts'
import type { Workspace } from '../../kernel/workspace.ts'

export interface OpenAt {
  /** Folder that holds, or will hold, `.steadfold`. */
  readonly dir: string
  readonly create: boolean
}

/** Enough for the hot commands. */
export interface HotApp {
  readonly operations: Catalogue
  openWorkspace(at: OpenAt): Promise<Workspace>
}

export interface App extends HotApp {
  readonly version: string
  readonly runWorkflow: RunWorkflow
  readonly runOnce: RunOnce
  readonly workflows: WorkflowFiles
  readonly shell: ShellFiles
  readonly upkeep: Upkeep
  /** Folder of the examples that are shipped; holds `review.workflow.yaml`. */
  readonly examples: string
  /** File that starts this program: `dist/steadfold.cjs`. */
  readonly program: string
}

/** Runs a workflow to its end, or as far as it goes; goes on where an earlier run stopped. */
export type RunWorkflow = (workspace: Workspace, request: RunRequest) => Promise<RunResult>

export interface RunRequest {
  /** The workflow file; relative paths inside it count from its folder. */
  readonly file?: string
  /** Instead of a file: one command, as a workflow of one step. */
  readonly command?: readonly string[]
  /** Id or name. Left out: the active session of a workflow of that name, or a new one. */
  readonly session?: string
  /** Folder the steps run in. */
  readonly cwd: string
  readonly actor: string
  readonly maxParallel?: number
  /** Values for outputs that the steps read, and for the environment as STEADFOLD_INPUT_<NAME>. */
  readonly env: Readonly<Record<string, string>>
  /** Aborted once: no new steps, the running ones are stopped and recorded. */
  readonly signal: AbortSignal
  /** Told as it happens; never awaited. */
  readonly report: (event: RunEvent) => void
}

export type RunEvent =
  | RunStarted
  | { readonly type: 'state'; readonly state: string; readonly steps: number }
  | RunStep
  | { readonly type: 'waiting'; readonly for: string; readonly hint: string }
  | { readonly type: 'note'; readonly text: string }

export interface RunStarted {
  readonly type: 'started'
  readonly session: string
  readonly name: string
  readonly seq: number
  /** True when an earlier run is gone on with. */
  readonly resumed: boolean
  /** Steps whose result is kept, steps to run, and how many of those died between effect and record. */
  readonly kept: number
  readonly to_run: number
  readonly unknown: number
  /** What the kept steps had cost. */
  readonly kept_tokens: number
  readonly kept_cost_usd: number
  readonly kept_ms: number
}

export interface RunStep {
  readonly type: 'step'
  readonly step: string
  readonly status: 'started' | 'reused' | 'adopted' | 'succeeded' | 'failed' | 'retrying' | 'parked' | 'unknown' | 'skipped'
  readonly attempt?: number
  readonly duration_ms?: number
  /** Why it failed, was parked, or is tried again. */
  readonly reason?: string
  /** Steps that are finished, and all there are. */
  readonly done: number
  readonly total: number
  /** Expected time to the end, in milliseconds, where it can be told. */
  readonly left_ms?: number
}

export interface RunResult {
  readonly session: string
  readonly name: string
  readonly seq: number
  /** `waiting`: for a person; `partial`: some steps failed, yet enough for the share that the workflow asks for. */
  readonly outcome: 'completed' | 'partial' | 'failed' | 'waiting' | 'interrupted'
  readonly state: string | null
  readonly steps: {
    readonly total: number
    readonly run: number
    readonly kept: number
    readonly failed: number
    readonly parked: number
  }
  readonly tokens: number
  readonly cost_usd: number
  readonly duration_ms: number
  /** What to do next when it did not complete. */
  readonly hint?: string
}

/** Runs a command once for a key and keeps its result; the same key again gives the kept result. */
export type RunOnce = (session: Session, request: OnceRequest) => Promise<OnceResult>

export interface OnceRequest {
  readonly key: string
  readonly command: readonly string[]
  readonly cwd: string
  readonly actor: string
  readonly repeatable: boolean
  readonly timeoutMs?: number
  readonly signal: AbortSignal
  /** Live output of the command; not called when the result was kept. */
  readonly output: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void
}

export interface OnceResult {
  readonly step: string
  /** True when it was not run now. */
  readonly reused: boolean
  readonly exit: number | null
  readonly signal?: string | null
  readonly seq: number
  readonly duration_ms: number
  readonly outputs: Readonly<Record<string, string>>
  /** The output that was kept; printed when the command is not run again. */
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

export interface WorkflowFiles {
  /** The definition as JSON, or an EngineError WORKFLOW_INVALID that names line and column. */
  read(file: string): Promise<unknown>
}

export interface ShellFiles {
  /** Path of the library to source. */
  readonly path: string
  text(): string
  /** What the library reads: a head, then outputs in their grammar. */
  view(session: Session): string
}

/** Care for a workspace on disk: what no operation can do, since operations only append. */
export interface Upkeep {
  /** Copies a damaged log aside and keeps its good beginning. */
  repair(workspace: Workspace, session: string, actor: string): Promise<Repaired>
  /** Moves an ended session to `archive/`. */
  archive(workspace: Workspace, session: string): Promise<{ readonly path: string }>
  /** Evidence that the process behind a lease is gone; empty while it may be alive. */
  evidence(lease: unknown): Promise<readonly string[]>
}

export interface Repaired {
  /** Last commit that is kept. */
  readonly seq: number
  /** Files with what was taken away. */
  readonly aside: readonly string[]
  readonly reason: string | null
}

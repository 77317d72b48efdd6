/*
 * What the runner asks of the world; drivers have the same shapes, compose.ts brings them together.
 */
import type { Artifact } from '../domain/steps/events.ts'
import type { ProcessRef } from '../domain/session/events.ts'
import type { Verdict } from '../kernel/recovery.ts'
import type { Workspace } from '../kernel/workspace.ts'

export type Stream = 'stdout' | 'stderr'

export interface Job {
  readonly session: string
  /** Name of the attempt's folder; used once. */
  readonly dir: string
  /** For a shell, or a program with its arguments. */
  readonly command: string | readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onOutput?: ((stream: Stream, bytes: Uint8Array) => void) | undefined
}

/** Why a worker was told to stop. */
export type StopReason = 'timeout' | 'interrupted'

export interface Ended {
  readonly kind: 'ended'
  /** As a shell gives it: 128 + n for signal n. */
  readonly exit: number
  readonly duration_ms: number
  /** What the worker wrote into STEADFOLD_OUTPUT. */
  readonly outputs: string
  readonly stdout: Text
  readonly stderr: Text
  readonly stopped: StopReason | null
}

export interface Text {
  readonly bytes: Uint8Array
  readonly truncated: boolean
}

/** The wrapper died and left no result. */
export interface Gone {
  readonly kind: 'gone'
  /** False when it is certain that the command did not begin; else whether it had its effect is not known. */
  readonly begun: boolean
  readonly reasons: readonly string[]
}

export interface Worker {
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly ended: Promise<Ended | Gone>
  /** Sends a signal to the process group of the worker, and notes why. */
  stop(signal: 'SIGTERM' | 'SIGKILL', reason: StopReason): void
  /** Stops watching; the worker goes on. */
  detach(): void
}

export type Found =
  | Ended
  | Gone
  | { readonly kind: 'alive'; readonly worker: Worker }
  /** It was never begun, and never will be: its folder is claimed. */
  | { readonly kind: 'never' }

export interface Workers {
  /** This process, as others can recognise it. */
  self(): ProcessRef
  evidence(process: ProcessRef): Verdict
  start(job: Job): Promise<Worker>
  /** What became of an attempt that another runner began. */
  find(attempt: {
    readonly session: string
    readonly dir: string
    readonly runner: ProcessRef | null
    readonly onOutput?: Job['onOutput']
  }): Promise<Found>
  /** Folders of attempts that are there. */
  folders(session: string): readonly string[]
  /** Forgets an attempt whose result is recorded. */
  discard(session: string, dir: string): void
}

export interface ProjectFiles {
  /** Path -> sha-256 of every file the patterns stand for; null for a plain path where there is none. */
  hashes(patterns: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  artifacts(
    patterns: readonly string[],
  ): Promise<{ readonly found: readonly Artifact[]; readonly missing: readonly string[] }>
}

/** A workflow file as read: its value, and where in the file a member is. */
export interface LoadedFile {
  readonly value: unknown
  /** `file:line:column` of a path of members. */
  readonly locate: (path: readonly (string | number)[]) => string
  readonly folder: string
}

export interface RunnerDeps {
  readonly workspace: Workspace
  readonly workers: Workers
  readonly files: ProjectFiles
  readonly readWorkflow: (file: string) => Promise<LoadedFile>
  /** Folder of the project: where `.steadfold/` is and commands run. */
  readonly dir: string
  /** Folder of the workflow file, for what lies beside it: STEADFOLD_WORKFLOW_DIR; `dir` when left out. */
  readonly workflowDir?: string
  /** Factor on delays between attempts, of breakers and of the grace before SIGKILL; 1 but in tests. */
  readonly scale: number
}

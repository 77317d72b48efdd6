/*
 * What the runner asks of the world; drivers have the same shapes, compose.ts brings them together.
 */
import type { Artifact } from '../domain/steps/events.ts'
import type { ProcessRef, Verdict } from '../kernel/care/recovery.ts'
import type { Found, Job, Worker } from '../kernel/work/worker.ts'
import type { Workspace } from '../kernel/workspace.ts'

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
  /** Makes the folder of an attempt before it is promised: one that has none later has lost it, and may have begun. */
  prepare(session: string, dir: string): void
  /** Folders of attempts that are there; nothing is in those that were not begun. */
  folders(session: string): readonly { readonly dir: string; readonly empty: boolean }[]
  /** Takes a folder away in which nothing is by now; whoever begins the attempt all the same makes it anew. */
  discardEmpty(session: string, dir: string): void
  /** Forgets an attempt whose result is recorded. */
  discard(session: string, dir: string): void
}

/** Throws FILE_UNREADABLE where a file is there and cannot be read. */
export interface ProjectFiles {
  /** Path -> sha-256 of every file the patterns stand for; null for a plain path where there is none. */
  hashes(patterns: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  artifacts(
    patterns: readonly string[],
  ): Promise<{ readonly found: readonly Artifact[]; readonly missing: readonly string[] }>
  /** Undefined when there is no such file, or it is longer. */
  read(path: string, mostBytes: number): Promise<Uint8Array | undefined>
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
  /** Throws the reason of a signal that aborts while it waits for what stands in it. */
  readonly readWorkflow: (file: string, signal?: AbortSignal) => Promise<LoadedFile>
  /** Commits what the shells of workers have handed in. */
  readonly takeIn: () => Promise<void>
  /** Folder of the project: where commands run. */
  readonly dir: string
  /** The same in another folder; undefined where there is none. */
  readonly at?: (dir: string) => Pick<RunnerDeps, 'dir' | 'files' | 'workers'> | undefined
  /** Folder that holds `.steadfold/`, for commands that use the workspace; `dir` when left out. */
  readonly place?: string
  /** Folder of the workflow file, for what lies beside it: STEADFOLD_WORKFLOW_DIR; `dir` when left out. */
  readonly workflowDir?: string
  /** Factor on delays between attempts, of breakers and of the grace before SIGKILL; 1 but in tests. */
  readonly scale: number
}

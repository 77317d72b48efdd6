/*
 * What the command line is handed by the entries beside compose.ts: it knows only the kernel.
 */
import type { Glance, Inbox, InboxOptions } from '../../../kernel/care/inbox.ts'
import type { ProcessRef, RecoveryPlan, Verdict } from '../../../kernel/care/recovery.ts'
import type { Policy, Retained, RetentionPlan } from '../../../kernel/care/retention.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Detected, Importer, Source } from '../../../kernel/exchange/importer.ts'
import type { Figure } from '../../../kernel/health.ts'
import type { Commit } from '../../../kernel/log/commit.ts'
import type { Answer } from '../../../kernel/operation/answer.ts'
import type { Stray } from '../../../kernel/ports.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Tree } from '../../../kernel/state/module.ts'
import type { Output } from '../../../kernel/text/output-grammar.ts'
import type { Runner } from '../../../kernel/work/runner.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import type { Agent } from './agent-names.ts'
import type { Context } from './context.ts'
import type { HotApp } from './hot-app.ts'
import type { Input } from './input.ts'
import type { NostrApp } from './relays.ts'
import type { Result } from './result.ts'
import type { OpenWishes, VaultApp } from './vault.ts'

/** Enough for the hot commands and `workflow transition`. */
export interface TransitionApp extends HotApp {
  /** A transition with a command between intent and outcome; the hot parser leaves such lines to the full program. */
  readonly transitionWith?: (context: Context, input: Input) => Promise<Result>
}

/** Enough for what agent CLIs call. */
export interface HookApp extends HotApp {
  readonly overview: Pick<Overview, 'glance'>
  /** The process of the agent CLI that started this one, where that is known. */
  callerOf(agent: Agent): ProcessRef | undefined
  /** Lets what an agent CLI told wait until its session is known, as hook.sh does. */
  handIn(agent: Agent, event: Buffer, env: NodeJS.ProcessEnv): void
}

/** Enough for what scripts ask between their commands. */
export interface ShellApp extends HotApp {
  readonly shell: ShellFiles
}

export interface App extends HookApp, TransitionApp, ShellApp {
  readonly version: string
  /** File that starts this program: `dist/steadfold.cjs`. */
  readonly program: string
  /** Folder of the examples that are shipped; holds `review.workflow.yaml`. */
  readonly examples: string
  /** What these shells are given to complete command lines. */
  completion(shell: 'bash' | 'zsh'): string
  readonly recovery: Recovery
  /** This process, as others can recognise it. */
  self(): Promise<ProcessRef>
  readonly retention: Retention
  readonly overview: Overview
  /** Tables in memory. */
  database(): Promise<Database>
  /** What shells have handed in that is in no session yet; `folder` is the `.steadfold`. */
  handedIn(folder: string): Promise<HandedIn>
  /** Takes what a run of an agent CLI told, and is in no session, into this one. */
  adopt(workspace: Workspace, session: Session, run: Pick<Stray, 'agent' | 'run'>): Promise<void>
  runner(workspace: Workspace): Promise<Runner>
  readonly nostr: NostrApp
  readonly imports: Imports
  readonly exports: Exports
  /** `dir` holds the workspace; left out where only keys or a bundle are looked at. */
  vault(dir?: string): Promise<VaultApp>
  readonly daemon: DaemonControl
  /** Offers a workspace on stdin and stdout, until stdin ends. */
  mcp(
    workspace: Workspace,
    options: {
      readonly session?: string | undefined
      readonly actor?: string | undefined
      readonly dir?: string | undefined
      readonly signal: AbortSignal
    },
  ): Promise<void>
  /** JSON Schemas of files that people write, by name. */
  readonly schemas: Readonly<Record<string, () => Promise<unknown>>>
  /** Reads and checks a workflow file without a workspace; throws WORKFLOW_INVALID with file, line and column. */
  loadWorkflow(file: string): Promise<unknown>
}

/** A session in the forms of others. */
export interface Exports {
  craft(
    state: Readonly<Tree>,
    around: { readonly updated_at: string; readonly project: string; readonly device: string; readonly sync: unknown },
  ): unknown
  markdown(
    state: Readonly<Tree>,
    around: {
      readonly updated_at: string
      readonly seq: number
      readonly hash: string
      readonly current: string | undefined
    },
  ): string
  cloudevents(commit: Commit, session: string): readonly object[]
  events(commit: Commit, session: string): readonly object[]
}

export interface Imports {
  readonly kinds: readonly Pick<Importer, 'kind' | 'summary'>[]
  detect(sources: readonly Source[]): {
    readonly plans: readonly Detected[]
    /** Known, and nothing of them becomes state. */
    readonly stateless: readonly Detected[]
    readonly unknown: readonly Source[]
  }
  /** What a file looks like that nobody knows. */
  shapeOf(source: Source): string
  /** An empty workspace in memory, to try things in. */
  scratch(): Promise<Workspace>
}

export interface Overview {
  /** What a session needs, and what goes on in it. */
  glance(session: Session): Promise<Glance>
  inbox(glances: readonly Glance[], options: InboxOptions): Inbox
  /** What a session tells of how well it is. */
  figures(session: Session, workspace: Workspace): Promise<readonly Figure[]>
  /** What the `.steadfold` folder tells of it. */
  folderFigures(folder: string): Promise<readonly Figure[]>
  metrics(session: Session, more: { readonly recent: readonly Commit[]; readonly measured: object }): Promise<Metrics>
  recent(session: Session, commits: readonly Commit[]): readonly unknown[]
}

/** Group -> figure. */
export type Metrics = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface HandedIn {
  /** For each fact that no session has taken, the one that it names; empty where it names none. */
  readonly waiting: readonly string[]
  /** Files whose writer is at it, or died. */
  readonly unfinished: readonly string[]
  /** Put aside, since a session or a rule refused them. */
  readonly rejected: readonly { readonly file: string; readonly reason: string }[]
}

export interface ShellFiles {
  /** The library to source. */
  readonly path: string
  text(): string
  /** What its functions read. */
  view(view: ShellView): string
}

/** Words are absent where no workflow has been started. */
export interface ShellView {
  readonly session: string
  readonly current?: string | undefined
  readonly terminal?: string | undefined
  readonly scope?: string | undefined
  readonly end?: string | undefined
  readonly outputs: readonly Output[]
}

export interface Retention {
  /** What there is to do; changes nothing. */
  plan(
    workspace: Workspace,
    options: Partial<Policy> & { readonly session?: string | undefined },
  ): Promise<RetentionPlan>
  carryOut(workspace: Workspace, plan: RetentionPlan, actor: string): Promise<readonly Retained[]>
}

export interface Recovery {
  /** Whether a process lives. */
  evidence(process: ProcessRef): Promise<Verdict>
  /** What recovering the session would do; undefined when it is not lost. */
  plan(session: Session): Promise<RecoveryPlan | undefined>
  /** `hold`: it stays recovering, and nothing begins, until a person resumes it. */
  carryOut(session: Session, plan: RecoveryPlan, actor: string, hold?: boolean): Promise<Answer>
}

/** A daemon that this process runs. */
export interface ServedHere {
  readonly url: string
  /** Opens the pages once. */
  link(): string
  /** Settles when it has ended, and says why. */
  readonly ended: Promise<string>
  close(): Promise<void>
}

export interface DaemonFound {
  readonly record: {
    readonly url: string
    readonly token: string
    readonly version: string
    readonly started_at: string
    readonly process: { readonly pid: number; readonly host: string }
  }
  readonly verdict: Verdict
}

export interface DaemonControl {
  serve(
    workspace: Workspace,
    options: { readonly port?: number | undefined; readonly actor: string },
  ): Promise<ServedHere>
  /** Shows what lies in a file, to be read only. */
  serveFile(file: string, wishes: OpenWishes, options: { readonly port?: number | undefined }): Promise<ServedHere>
  /** The daemon that holds the workspace in the folder `.steadfold`, dead or alive. */
  find(folder: string): Promise<DaemonFound | undefined>
}

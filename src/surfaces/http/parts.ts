import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Glance, Inbox, InboxOptions } from '../../kernel/care/inbox.ts'
import type { ProcessRef, RecoveryPlan, Verdict } from '../../kernel/care/recovery.ts'
import type { Figure } from '../../kernel/health.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import type { Desk } from './desk.ts'

/** How a process finds the daemon of a workspace, and what it needs to know to tell whether that still runs. */
export interface Place {
  /** The `.steadfold` of the workspace. */
  readonly folder: string
  readonly self: () => ProcessRef
  readonly evidence: (process: ProcessRef) => Verdict
}

/** What the daemon is made of; it knows only the kernel. */
export interface DaemonParts extends Place {
  readonly workspace: Workspace
  readonly version: string
  /** The file that is looked at; undefined for a workspace. */
  readonly source?: string | undefined
  /** Folder of the built web pages; need not be there. */
  readonly pages: string
  /** Who asks where a request does not say so. */
  readonly actor: string
  /** One session as whoever asks what needs a person sees it, and many of them in groups. */
  readonly glance: (session: Session) => Promise<Glance>
  readonly inbox: (glances: readonly Glance[], options: InboxOptions) => Inbox
  readonly recovery: {
    /** What recovering the session would do; undefined when it is not lost. */
    plan(session: Session): Promise<RecoveryPlan | undefined>
    carryOut(session: Session, plan: RecoveryPlan, actor: string): Promise<Answer>
  }
  /** Figures of how well it is; the kernel judges them. */
  readonly health: {
    ofSession(session: Session, workspace: Workspace): Promise<readonly Figure[]>
    ofFolder(folder: string): Promise<readonly Figure[]>
  }
  readonly now: () => number
  readonly warn: (message: string) => void
  /** What answers at `/mcp`, made when it is asked for the first time. */
  readonly mcp: (desk: Desk) => Promise<Mounted>
}

/** Another protocol behind the same guards and token. */
export interface Mounted {
  /** `body` is undefined for requests without one. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, body?: unknown): Promise<void>
  close(): Promise<void>
}

export interface DaemonOptions {
  /** One that is free when left out. */
  readonly port?: number | undefined
}

export interface Daemon {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Opens the pages once, within some minutes. */
  link(): string
  /** Settles when it has ended, and says why. */
  readonly ended: Promise<string>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

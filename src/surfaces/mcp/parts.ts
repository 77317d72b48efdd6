import type { Glance, Inbox, InboxOptions, Need } from '../../kernel/care/inbox.ts'
import type { Shut } from '../../kernel/care/shut.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'

/** The sessions of the workspace, at hand. */
export interface Sessions {
  readonly kernel: Kernel
  /** All that have begun and not ended. */
  readonly held: readonly Session[]
  /** Looks for sessions that have come or gone. */
  look(): Promise<void>
  /** Looks as well, and answers with those that cannot be read. */
  unread(): Promise<readonly Shut[]>
  /** What needs a person and is of no session that can be read. */
  needs(): Promise<readonly Need[]>
  /** With a session by its id, its name or the beginning of its id, up to date. */
  use<T>(idOrName: string, task: (session: Session) => Promise<T>): Promise<T>
  /** For what catches up by itself, as operations do. */
  ask<T>(idOrName: string, task: (session: Session) => Promise<T>): Promise<T>
  /** Tells of each session that is held from now on. */
  onHeld(listener: (session: Session) => void): () => void
  /** Tells of each session that is held no longer. */
  onLeft(listener: (id: string) => void): () => void
}

/** What the server is made of; it knows only the kernel. */
export interface McpParts {
  readonly sessions: Sessions
  readonly version: string
  /** The session that is meant where a call names none; else the only active one. */
  readonly session?: string | undefined
  /** Who asks where a call does not say so; else `agent:` and the name of the client. */
  readonly actor?: string | undefined
  /** The workspace, where the server was told which: the shell of an agent has to be told, too. */
  readonly dir?: string | undefined
  readonly glance: (session: Session) => Promise<Glance>
  readonly inbox: (glances: readonly Glance[], options: InboxOptions) => Inbox
  readonly warn: (message: string) => void
}

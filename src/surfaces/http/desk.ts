/*
 * The sessions of the workspace as the daemon has them at hand.
 *
 *   the list ──watch──► held: open, with an alarm ──► told to whoever listens
 *
 * S1. A session that has not ended is held open, so that reading it costs nothing and its deadlines are kept.
 * S2. One that has ended is opened for each look, and is held again when it goes on.
 * S3. What was archived or removed is let go.
 */
import { hasBegun } from '../../kernel/about-session.ts'
import type { Need } from '../../kernel/care/inbox.ts'
import { orArchived } from '../../kernel/care/put-away.ts'
import { shutBy, withoutLog, type Shut } from '../../kernel/care/shut.ts'
import { workspaceNeeds } from '../../kernel/care/workspace-needs.ts'
import { asError, EngineError } from '../../kernel/error.ts'
import type { Commit } from '../../kernel/log/commit.ts'
import { Landmarks } from '../../kernel/log/landmarks.ts'
import { orDamage } from '../../kernel/log/replay.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import { Alarm } from './alarm.ts'

const LIST_MS = 1000
const LEFT_OUT: ReadonlySet<string> = new Set(['SESSION_NOT_FOUND', 'LOG_CORRUPT', 'VERSION_UNKNOWN', 'READ_ONLY'])

interface Held {
  readonly session: Session
  readonly alarm: Alarm
}

export class Desk {
  readonly #workspace: Workspace
  readonly #warn: (message: string) => void
  readonly #held = new Map<string, Held>()
  /** Not held, and whether it has ended; else this version cannot read it. */
  readonly #put = new Map<string, boolean>()
  /** Of those the ones that cannot be read at all, and why. */
  readonly #unread = new Map<string, Shut>()
  #gone: { readonly at: number; readonly found: Promise<readonly Shut[]> } | undefined
  /** Of all that were read in parts. */
  readonly #landmarks = new Map<string, Landmarks>()
  readonly #listeners = new Set<(session: Session) => void>()
  readonly #leavers = new Set<(id: string) => void>()
  readonly #turners = new Set<(session: Session) => void>()
  readonly #readers = new Set<() => void>()
  /** Of all that were in the list. */
  #listed: ReadonlySet<string> = new Set()
  #unwatch: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  #closed = false

  constructor(workspace: Workspace, warn: (message: string) => void) {
    this.#workspace = workspace
    this.#warn = warn
  }

  get kernel() {
    return this.#workspace.kernel
  }

  async open(): Promise<void> {
    const { log } = this.kernel
    const look = () => void this.look()
    if (log.watchSessions === undefined) {
      const timer = setInterval(look, LIST_MS)
      this.#unwatch = () => clearInterval(timer)
    } else this.#unwatch = log.watchSessions(look)
    await this.look()
  }

  /** All that have begun and not ended, in the order of their ids. */
  get held(): readonly Session[] {
    return [...this.#held.values()].map(({ session }) => session).filter(hasBegun)
  }

  /** Sessions that cannot be read: looked at again, since somebody may have mended it. */
  async unread(): Promise<readonly Shut[]> {
    await this.look()
    return this.#stillUnread()
  }

  /** Those, and the ones whose log is gone, which are looked for once in a while: that is a look into every folder. */
  async shut(): Promise<readonly Shut[]> {
    const now = performance.now()
    if (this.#gone === undefined || now - this.#gone.at > LIST_MS)
      this.#gone = { at: now, found: withoutLog(this.kernel) }
    return [...(await this.#stillUnread()), ...(await this.#gone.found)]
  }

  /** What needs a person and is of no session that can be read. */
  async needs(): Promise<readonly Need[]> {
    return workspaceNeeds(this.#workspace, await this.shut())
  }

  async #stillUnread(): Promise<readonly Shut[]> {
    for (const id of this.#unread.keys()) await this.look(id)
    return [...this.#unread.values()]
  }

  /** How many have ended (S2). */
  get ended(): number {
    return [...this.#put.values()].filter(Boolean).length
  }

  /** Whether it is in the list, ended or not. */
  has = (id: string): boolean => this.#held.has(id) || this.#put.has(id)

  /** All that can be read, ended or not. */
  async ids(): Promise<readonly string[]> {
    await this.look()
    const ended = [...this.#put].flatMap(([id, isOver]) => (isOver ? [id] : []))
    return [...this.held.map(({ id }) => id), ...ended].toSorted()
  }

  /** Tells of each session that is held from now on. */
  onHeld(listener: (session: Session) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Tells of each session that is held no longer. */
  onLeft(listener: (id: string) => void): () => void {
    this.#leavers.add(listener)
    return () => void this.#leavers.delete(listener)
  }

  /** Tells of each held session that is damaged or cannot be read now, and when it is whole again. */
  onTurned(listener: (session: Session) => void): () => void {
    this.#turners.add(listener)
    return () => void this.#turners.delete(listener)
  }

  /** Tells that there are other sessions than before, and that no commit says so: some are gone, or came as they had ended. */
  onListed(listener: () => void): () => void {
    this.#readers.add(listener)
    return () => void this.#readers.delete(listener)
  }

  /** What `task` makes of each; what went meanwhile, or cannot be read now, is left out: the others are no worse for it. */
  async each<T>(ids: readonly string[], task: (id: string) => Promise<T>): Promise<readonly T[]> {
    const found: T[] = []
    for (const id of ids) {
      const made = await task(id).catch((error: unknown) => {
        if (!(error instanceof EngineError) || !LEFT_OUT.has(error.code)) throw error
      })
      if (made !== undefined) found.push(made)
    }
    return found
  }

  /** With a session by its id, its name or the beginning of its id, up to date. */
  async use<T>(idOrName: string, task: (session: Session) => Promise<T>): Promise<T> {
    return this.ask(idOrName, async (session) => {
      await session.refresh()
      return task(session)
    })
  }

  /** For what catches up by itself, as operations do. */
  async ask<T>(idOrName: string, task: (session: Session) => Promise<T>): Promise<T> {
    const held = this.#find(idOrName)
    if (held !== undefined) return truly(held, task)
    const session = await this.#workspace.session(idOrName).catch(async (error: unknown) => {
      throw await orArchived(this.#workspace, idOrName, error)
    })
    try {
      return await truly(session, task)
    } finally {
      await session.close()
      // It may be new, or going on.
      void this.look(session.id)
    }
  }

  /** The commits of a session that is in use behind `after`, up to `until`: what lies before and behind is not read. */
  commits({ id, position }: Session, after: number, until: number): AsyncGenerator<Commit, void, undefined> {
    return this.#landmarksOf(id).commits({ after, until }, position)
  }

  /** Where to begin to read what stands behind `after`. */
  placeBehind({ id, position }: Session, after: number): Promise<Position> {
    return this.#landmarksOf(id).behind(after, position)
  }

  #landmarksOf(id: string): Landmarks {
    const landmarks = this.#landmarks.get(id) ?? new Landmarks(this.kernel, id)
    this.#landmarks.set(id, landmarks)
    return landmarks
  }

  /** Looks at the list again. `changed` names a session that may have come back. */
  look(changed?: string): Promise<void> {
    if (changed !== undefined) this.#put.delete(changed)
    this.#again = true
    this.#looking ??= this.#lookAll()
      // A folder that cannot be listed now is looked at again soon.
      .catch((error: unknown) => this.#warn(`the sessions cannot be listed: ${String(error)}`))
      .finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch?.()
    await this.#looking
    for (const { alarm } of this.#held.values()) alarm.stop()
    this.#held.clear()
  }

  #find(idOrName: string): Session | undefined {
    const direct = this.#held.get(idOrName)
    if (direct !== undefined) return direct.session
    const named = this.held.filter((session) => session.get('$.session.name') === idOrName)
    return named.length === 1 ? named[0] : undefined
  }

  async #lookAll(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false
      const seen = new Set<string>()
      for await (const id of this.kernel.log.list()) {
        seen.add(id)
        if (!this.#held.has(id) && !this.#put.has(id)) await this.#hold(id)
      }
      for (const id of this.#held.keys()) if (!seen.has(id)) await this.#letGo(id)
      for (const known of [this.#put, this.#unread, this.#landmarks])
        for (const id of known.keys()) if (!seen.has(id)) known.delete(id)
      this.#tellListed(seen)
    }
  }

  #tellListed(seen: ReadonlySet<string>): void {
    const before = this.#listed
    this.#listed = seen
    const isTold =
      [...before].every((id) => seen.has(id)) && [...seen].every((id) => before.has(id) || !this.#put.get(id))
    if (!isTold) for (const listener of this.#readers) listener()
  }

  async #hold(id: string): Promise<void> {
    let session: Session
    try {
      session = await this.#workspace.session(id)
    } catch (error) {
      this.#put.set(id, false)
      if (error instanceof EngineError && error.code === 'SESSION_NOT_FOUND') this.#unread.delete(id)
      else this.#leaveOut(id, error)
      return
    }
    this.#unread.delete(id)
    if (this.#closed || isOver(session)) {
      this.#put.set(id, true)
      return session.close()
    }
    const turned = () => {
      for (const listener of this.#turners) listener(session)
    }
    const alarm = new Alarm(this.kernel, session, { grown: () => this.#changed(session), turned })
    this.#held.set(id, { session, alarm })
    for (const listener of this.#listeners) listener(session)
  }

  #leaveOut(id: string, error: unknown): void {
    if (!this.#unread.has(id)) this.#warn(`session ${id} is left out: ${asError(error).message}`)
    this.#unread.set(id, shutBy(id, error))
  }

  #changed(session: Session): void {
    if (!isOver(session)) return
    this.#put.set(session.id, true)
    this.#letGo(session.id).catch((error: unknown) => this.#warn(`session ${session.id}: ${String(error)}`))
  }

  async #letGo(id: string): Promise<void> {
    const held = this.#held.get(id)
    this.#held.delete(id)
    held?.alarm.stop()
    for (const listener of this.#leavers) listener(id)
    await held?.session.close()
  }
}

async function truly<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await task(session)
  } catch (error) {
    throw error instanceof EngineError ? orDamage(error, session) : error
  }
}

export const isOver = (session: Session): boolean => session.get('$.session.lifecycle.status') === 'terminated'

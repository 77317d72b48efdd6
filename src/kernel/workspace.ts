import { assertEnded, assertSession, idOf, nameOf, only, toldId, warningOnce, type LeftOut } from './about-session.ts'
import { assertFits, call, text } from './arguments.ts'
import { assertVerified } from './care/verify.ts'
import {
  assertCreation,
  assertFork,
  assertKeyUnused,
  assertNameKept,
  CREATE,
  FORK,
  isBegunBy,
  isForkedBy,
  takenAway,
  type Begun,
  type CreateSession,
  type Shared,
} from './create-session.ts'
import { failure } from './decision.ts'
import { closed, EngineError, noArchive } from './error.ts'
import { Finder } from './finding.ts'
import type { Kernel } from './kernel.ts'
import { assertCopyable, copyLog } from './log/copy.ts'
import { claimName, keepsName, notArchived, notFound, releaseName, renameClaimed } from './names.ts'
import { taken, underClaim, unlessGone, type Names } from './names.ts'
import type { Answer, RunOptions } from './operation/answer.ts'
import type { Attic } from './ports.ts'
import { Session } from './session.ts'
import { whole } from './text/whole.ts'

type Says = Pick<RunOptions, 'actor' | 'key' | 'reason'>

interface Fork extends Says {
  readonly name: string
  readonly seq: number
}

/** Where sessions live. `S` is a session with what the composition adds to it. */
export class Workspace<S extends Session = Session> {
  readonly #kernel: Kernel
  /** By id: a session may be open many times. */
  readonly #open = new Map<string, Set<S>>()
  /** @internal What serves it, and ends before it does. */
  readonly leaving = new Set<() => Promise<void>>()
  #closed = false
  readonly #dress: (session: Session) => S
  readonly #finder: Finder<S>

  /** @internal Workspaces come from `openWorkspace`. */
  constructor(kernel: Kernel, dress: (session: Session) => S, lacking = notFound) {
    this.#kernel = kernel
    this.#dress = dress
    this.#finder = new Finder({ kernel, open: (id) => this.#opened(id), leftOut: warningOnce(kernel), lacking })
  }

  /** @internal */
  get kernel(): Kernel {
    return this.#kernel
  }

  async createSession(input: CreateSession): Promise<S> {
    return this.#create(input).catch((error: unknown) => this.#again(input, error))
  }

  async #create(input: CreateSession): Promise<S> {
    const { id = this.#kernel.host.newId() } = input ?? {}
    await assertCreation(this.#kernel, { ...input, id })
    const { actor, key, reason, ...about } = input
    await this.#assertFree(about.name, id)
    return this.#begin(about.name, id, async () => {
      await this.#kernel.log.create(id)
      const session = await this.#opened(id)
      return { session, answer: await session.run(CREATE, { ...about, id }, { actor, key, reason }) }
    })
  }

  /** L7: the session of that name, where this key began it. */
  async #again(input: CreateSession, error: unknown, shared?: Shared): Promise<S> {
    const isTaken = error instanceof EngineError && error.code === 'NAME_TAKEN' && input.key !== undefined
    const held = isTaken ? await this.session(input.name).catch(unlessGone) : undefined
    const isOwn = (session: S) =>
      shared === undefined ? isBegunBy(session, input) : isForkedBy(session, shared, input)
    const begun = await only(held, isOwn)
    if (begun === undefined) throw error
    return begun
  }

  /** Between a claim of the name and a second look at it. */
  async #begin(name: string, id: string, make: () => Promise<Begun<S>>): Promise<S> {
    const names = this.#names
    if (names !== undefined) await claimName(names, name, id)
    try {
      const { session, answer } = await make()
      if (answer.kind === 'refused') {
        await session.close()
        throw failure(answer)
      }
      if (names === undefined || (await keepsName(names, name, id))) return session
      await session.run('session.rename', { name: `${whole(name, 100)}-${id.slice(-8)}` })
      await session.run('session.end', { outcome: 'cancelled' })
      throw taken(name, (await names.store.holder(name))?.id ?? '')
    } catch (error) {
      if (names !== undefined) await releaseName(names, name, id)
      throw error
    }
  }

  get #names(): Names | undefined {
    const { log, host } = this.#kernel
    return log.names && { store: log.names, host, standing: (id, name) => this.#finder.standing(id, name) }
  }

  async #renamed(session: S, name: string, rename: (name: string) => Promise<Answer>): Promise<Answer> {
    const [id, before] = [session.id, nameOf(session)]
    if (before !== name) assertNameKept(this.#kernel, name)
    if (before === name || this.#names === undefined) return rename(name)
    if (name !== id) await this.#assertFree(name, '')
    return renameClaimed(this.#names, { id, before, name, has: () => nameOf(session) === name }, rename)
  }

  /** Throws what `createSession` or `fork` would; makes nothing. */
  async rehearse(input: CreateSession, shared?: Shared): Promise<void> {
    const { id = this.#kernel.host.newId() } = input ?? {}
    if (shared === undefined) await assertCreation(this.#kernel, { ...input, id })
    else await assertFork(this.#kernel, { ...input, id }, shared)
    try {
      await this.#finder.assertFree(input.name, id)
    } catch (error) {
      return (await this.#again(input, error, shared)).close()
    }
    if (shared !== undefined) await assertKeyUnused(this.#kernel, input.key, shared)
  }

  /** Opens a session by its id, a unique beginning of its id, or its name. */
  async session(idOrName: string): Promise<S> {
    assertFits(idOrName, text, 'workspace.session: the name', "workspace.session('notes')")
    this.assertOpen()
    return this.#finder.find(idOrName)
  }

  /** Every session that has begun, or of those ids, open, in the order of their ids. Close them when done. */
  async *sessions(wanted: (id: string) => boolean = () => true, leftOut?: LeftOut): AsyncGenerator<S> {
    this.assertOpen()
    assertFits(wanted, call, 'workspace.sessions: what is wanted', 'workspace.sessions((id) => …)')
    yield* this.#finder.all(wanted, leftOut)
  }

  /**
   * A new session that shares history with `from` up to a point; up to where its log stands, without one. Asked again with
   * its key, the fork that it made.
   */
  async fork(from: Session, name: string, at?: string | number, options: Says = {}): Promise<S> {
    assertSession(from, 'workspace.fork')
    assertFits(name, text, 'workspace.fork: the name', "workspace.fork(session, 'other')")
    this.assertOpen()
    const seq = at === undefined ? await from.refresh().then(() => from.seq) : await from.resolve(at)
    if (seq === 0)
      throw new EngineError('POINT_NOT_FOUND', 'a fork needs at least one commit', { hint: 'fork at 1 or later' })
    return this.#fork(from, { name, seq, ...options }).catch((error: unknown) =>
      this.#again({ name, ...options }, error, { from, seq }),
    )
  }

  async #fork(from: Session, { name, seq, ...options }: Fork): Promise<S> {
    const id = this.#kernel.host.newId()
    const shared = { from, seq }
    await assertFork(this.#kernel, { id, name, ...options }, shared)
    await this.#assertFree(name, id)
    await assertKeyUnused(this.#kernel, options.key, shared)
    await assertCopyable(this.#kernel, from.id, seq)
    return this.#begin(name, id, async () => {
      await this.#kernel.log.create(id)
      const { hash } = await copyLog(this.#kernel, from.id, id, seq)
      const session = await this.#opened(id)
      const input = { id, name, from: { session: toldId(session) || from.id, seq, hash } }
      return { session, answer: await session.run(FORK, input, options) }
    }).catch(async (error: unknown) => {
      const isLost = error instanceof EngineError && error.code === 'SESSION_NOT_FOUND'
      throw isLost && !(await this.#kernel.log.exists(id)) ? takenAway(name, error) : error
    })
  }

  /** Moves an ended session to the archive. Answers where it is kept. */
  async archive(session: S): Promise<string> {
    const { log } = this.#kernel
    await this.assertArchivable(session)
    if (log.archive === undefined) throw noArchive()
    await session.close()
    const path = await log.archive(session.id)
    if (this.#names !== undefined) await releaseName(this.#names, nameOf(session), session.id)
    return path
  }

  /** @internal Throws what `archive` would; moves nothing. */
  async assertArchivable(session: S): Promise<void> {
    assertSession(session, 'workspace.archive')
    await session.refresh()
    assertEnded(session)
    if (this.#kernel.log.archive === undefined) throw noArchive()
    await assertVerified(this.#kernel, session.id, 'steadfold verify')
  }

  /** The archived sessions, to read. */
  async archived(): Promise<Workspace<S>> {
    const log = (await this.#attic()).log
    // What a store tells of its sessions it tells of those in the list.
    const { facts: _facts, ...kernel } = this.#kernel
    return new Workspace({ ...kernel, log, checkpoint: () => Promise.resolve(0) }, this.#dress, notArchived)
  }

  /** Brings an archived session back into the list, byte for byte. */
  async unarchive(idOrName: string): Promise<S> {
    const { place, name, id } = await this.assertReturnable(idOrName)
    return this.adopt(name, id, (attic) => attic.restore(place, id))
  }

  /** @internal Throws what `unarchive` would; brings nothing back. Answers what lies where. */
  async assertReturnable(
    idOrName: string,
  ): Promise<{ readonly place: string; readonly name: string; readonly id: string }> {
    const archived = await this.archived()
    const session = await archived.session(idOrName)
    const found = { place: session.id, name: nameOf(session), id: idOf(session) }
    await session.close()
    await assertVerified(archived.kernel, session.id, 'steadfold verify --archived')
    await this.#assertFree(found.name, found.id)
    return found
  }

  /** @internal Takes in a session that `put` brings whole, under a name that is free. */
  async adopt(name: string, id: string, put: (attic: Attic) => Promise<void>): Promise<S> {
    await this.#assertFree(name, id)
    await underClaim(this.#names, { name, id }, async () => put(await this.#attic()))
    return this.#opened(id)
  }

  async #attic(): Promise<Attic> {
    this.assertOpen()
    const attic = await this.#kernel.log.attic?.()
    if (attic === undefined) throw noArchive()
    return attic
  }

  /** Ends the daemons that serve it, and closes its sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.leaving].map((leave) => leave()))
    this.#closed = true
    await Promise.all([...this.#open.values()].flatMap((same) => [...same].map((session) => session.close())))
    await this.#kernel.log.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal Throws CLOSED. */
  assertOpen(): void {
    if (this.#closed) throw closed('the workspace')
  }

  async #opened(id: string): Promise<S> {
    this.assertOpen()
    const session = this.#dress(await new Session(this.#kernel, id).open())
    const same = this.#open.get(id) ?? new Set()
    this.#open.set(id, same.add(session))
    session.onClosed = () => this.#forget(session)
    session.onRenaming = (name, rename) => this.#renamed(session, name, rename)
    // Whoever closed the workspace meanwhile did not know of it.
    if (this.#closed) await session.close()
    this.assertOpen()
    return session
  }

  async #forget(session: S): Promise<void> {
    const same = this.#open.get(session.id)
    same?.delete(session)
    if (same === undefined || same.size > 0) return
    this.#open.delete(session.id)
    await this.#kernel.log.release?.(session.id)
  }

  async #assertFree(name: string, id: string): Promise<void> {
    this.assertOpen()
    await this.#finder.assertFree(name, id)
  }
}

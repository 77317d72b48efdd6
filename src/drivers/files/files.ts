/*
 * Logs in a folder: one file a segment, many processes, no server.
 *
 * F1. The file of a segment is made when the segment before it is synced, so its name vouches for all before it. Before
 *     this process acknowledges anything in it, that name is synced, and those above.
 * F2. After a failed sync this process neither writes to that session nor vouches for it any more, whichever workspace of
 *     it asks: the kernel may call lost pages clean (L5).
 * F3. What was written into a file that has lost its name (repair, archive) is not acknowledged.
 */
import * as fs from 'node:fs'
import type { EngineError } from '../../kernel/error.ts'
import { logReplaced } from '../../kernel/log/replaced.ts'
import { notFound } from '../../kernel/names.ts'
import type { Appended, AppendOptions, Attic, Chunk, Cut, Host, Lines, Log, Position } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { fileBlobs } from './blobs.ts'
import { fileCheckpoints } from './checkpoints.ts'
import { createFolders } from './create.ts'
import { syncFile } from './durable.ts'
import { hasFailedSync, isSyncFailure, noteFailedSync, unsure } from './failed-syncs.ts'
import { asFailure } from './failure.ts'
import { isSessionId, Layout } from './layout.ts'
import { fileNames } from './names.ts'
import { Nearby } from './near.ts'
import { lastHeld, readSegment } from './read.ts'
import { RedoPasses } from './redo-passes.ts'
import { Seen } from './seen.ts'
import { Segment } from './segment.ts'
import { SyncGauge } from './sync-gauge.ts'
import { Turnstile } from './turn.ts'
import { syncLog, syncNames } from './vouched.ts'
import { watchFolder } from './watch.ts'

const FLUSH_MS = 1000
const NOTHING = Buffer.alloc(0)

interface Open {
  readonly turnstile: Turnstile
  segment: Segment | undefined
  flush: NodeJS.Timeout | undefined
  /** The folders above the log are synced: their names do not change while it is open. */
  rooted: boolean
  /** The segment's own name is synced. */
  named: boolean
}

export class FilesLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: true, overlaps: true } as const
  readonly layout: Layout
  readonly checkpoints
  readonly blobs
  readonly names
  readonly #sha256: Host['sha256']
  readonly #gauge = new SyncGauge()
  readonly #seen: Seen
  readonly #passes: RedoPasses
  readonly #open = new Map<string, Open>()

  constructor(root: string, sha256: Host['sha256']) {
    this.layout = new Layout(root)
    this.#sha256 = sha256
    this.#seen = new Seen(this.layout, sha256)
    this.#passes = new RedoPasses(this.layout, sha256)
    this.checkpoints = fileCheckpoints(this.layout, this.#gauge)
    this.blobs = fileBlobs(this.layout, sha256)
    this.names = fileNames(this.layout, sha256)
  }

  async create(session: string): Promise<void> {
    this.#assertSure(session)
    try {
      createFolders(this.layout, session)
    } catch (error) {
      if (isSyncFailure(error)) this.#lose(session)
      throw error
    }
  }

  append(session: string, batch: Lines, after: Position, options: AppendOptions): Appended | Promise<Appended> {
    const open = this.#opened(session)
    this.#assertSure(session)
    const segment = this.#segment(session, open, after)
    const position = segment.write(batch, after, open.turnstile.isAlone)
    if (!segment.hasKeptName) throw this.#replaced(session, open)
    if (position.seq === after.seq) {
      open.turnstile.met()
      return { kind: 'conflict' }
    }
    if (options.durability === 'relaxed') this.#flushLater(session, open)
    const durable =
      options.durability === 'relaxed' ? undefined : this.#sync(session, open, segment, options.isFollowed)
    return { kind: 'appended', position, durable }
  }

  readonly learn = (session: string, position: Position): void => this.#seen.learn(session, position)

  async *read(session: string, after: Position): AsyncGenerator<Chunk> {
    await this.#redone(session)
    this.#seen.assertThere(session, after)
    yield* readSegment(this.layout, session, after)
  }

  peek(session: string, after: Position): Buffer | undefined {
    const open = this.#open.get(session)
    if (open?.segment?.first !== after.segment) return this.#seen.hasGrown(session, after) ? undefined : NOTHING
    const tail = open.segment.tail(after.offset)
    if (tail?.length !== 0) open.turnstile.met()
    const toLook = tail === undefined || this.#seen.isDue(session)
    if (toLook && !open.segment.isNamed) throw this.#replaced(session, open)
    return tail
  }

  async near(session: string, from: Position, bytes: number): Promise<Position | undefined> {
    await this.#redone(session)
    return new Nearby(this.layout, this.#sha256).before(session, from, bytes)
  }

  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    await this.#redone(session)
    return this.#seen.stands(session, position)
  }

  async sync(session: string): Promise<void> {
    this.#opened(session)
    this.#assertSure(session)
    try {
      syncLog(this.layout, session)
    } catch (error) {
      if (isSyncFailure(error)) this.#lose(session)
      throw this.#isUnsure(session) || this.layout.stillHolds(session) ? unsure(session, error) : notFound(session)
    }
  }

  async exists(session: string): Promise<boolean> {
    return isSessionId(session) && this.layout.holds(session)
  }

  async *list(): AsyncGenerator<string> {
    for (const name of this.layout.folders()) if (isSessionId(name) && this.layout.mayHold(name)) yield name
  }

  watch(session: string, changed: () => void): () => void {
    return watchFolder(this.layout.log(session), changed)
  }

  watchSessions(changed: () => void): () => void {
    return watchFolder(this.layout.sessions, changed)
  }

  turn(session: string, losses: number) {
    return this.#opened(session).turnstile.take(losses)
  }

  async repair(
    session: string,
    from: { readonly segment: number; readonly offset: number },
    why?: Pick<Cut, 'seq' | 'reason'>,
  ): Promise<readonly string[]> {
    await this.release(session)
    return (await import('./repair.ts')).cutLog(this.layout, session, from, why)
  }

  async archive(session: string): Promise<string> {
    await this.sync(session)
    await this.release(session)
    return (await import('./archive.ts')).archiveSession(this.layout, session)
  }

  async attic(): Promise<Attic> {
    return (await import('./attic.ts')).fileAttic(this.layout, this.#sha256)
  }

  async release(session: string): Promise<void> {
    const open = this.#open.get(session)
    if (open !== undefined) this.#shut(session, open)
  }

  async close(): Promise<void> {
    for (const [session, open] of this.#open) this.#shut(session, open)
  }

  /** Before it is looked at. */
  async #redone(session: string): Promise<void> {
    if (!this.layout.holds(session)) throw notFound(session)
    await this.#passes.over(session)
  }

  #shut(session: string, open: Open): void {
    if (open.flush !== undefined) this.#flush(session, open)
    open.segment?.close()
    open.segment = undefined
    open.rooted = false
    this.#seen.forget(session)
  }

  /** The log went on without us. */
  #replaced(session: string, open: Open): EngineError {
    this.#shut(session, open)
    this.layout.forget(session)
    if (!this.layout.holds(session)) return notFound(session)
    return logReplaced(session)
  }

  #opened(session: string): Open {
    const known = this.#open.get(session)
    if (known !== undefined) return known
    if (!this.layout.holds(session)) throw notFound(session)
    const turnstile = new Turnstile(this.layout.turn(session))
    const open: Open = { turnstile, segment: undefined, flush: undefined, rooted: false, named: false }
    this.#open.set(session, open)
    return open
  }

  #segment(session: string, open: Open, after: Position): Segment {
    if (open.segment?.first === after.segment) return open.segment
    open.segment?.close()
    open.segment = undefined
    try {
      if (after.seq > 0 && this.#seen.stands(session, after) !== 'yes') throw this.#replaced(session, open)
      this.#syncBefore(session, after.segment)
      open.named = false
      const file = this.layout.segment(session, after.segment)
      open.segment = new Segment(file, after.segment, this.layout.redo(session), this.#sha256)
      return open.segment
    } catch (error) {
      if (isSyncFailure(error)) this.#lose(session)
      if (errnoOf(error) === 'ENOENT') throw notFound(session)
      throw asFailure(error, `cannot open the log of session ${session}`)
    }
  }

  /** F1 */
  #syncBefore(session: string, first: number): void {
    if (first === 1 || fs.existsSync(this.layout.segment(session, first))) return
    const before = lastHeld(this.layout, session, first)
    if (before !== undefined) syncFile(this.layout.segment(session, before))
  }

  /** F1. The first segment met here is not trusted: whoever copied it here may not have known the rule. */
  #name(session: string, open: Open, { first }: Segment): void {
    if (open.named) return
    syncNames(this.layout, session, first, open.rooted ? 'known' : 'strange')
    open.named = true
    open.rooted = true
  }

  #sync(session: string, open: Open, segment: Segment, isFollowed = false): Promise<void> | undefined {
    const fail = (error: unknown) => {
      this.#lose(session)
      return unsure(session, error)
    }
    try {
      this.#name(session, open, segment)
    } catch (error) {
      // Without a descriptor to look with, say, nothing was lost: the next one names it.
      return Promise.reject(isSyncFailure(error) ? fail(error) : unsure(session, error))
    }
    try {
      return segment.durable(this.#gauge, { isAlone: open.turnstile.isAlone, isFollowed })?.then(
        // A flush may have met the failure meanwhile, which is told once.
        () => this.#assertSure(session),
        (error: unknown) => Promise.reject(fail(error)),
      )
    } catch (error) {
      // As a rejection, like the sync on the thread pool.
      return Promise.reject(fail(error))
    }
  }

  #flushLater(session: string, open: Open): void {
    open.flush ??= setTimeout(() => this.#flush(session, open), FLUSH_MS)
  }

  #flush(session: string, open: Open): void {
    clearTimeout(open.flush)
    open.flush = undefined
    try {
      if (open.segment === undefined) return
      this.#name(session, open, open.segment)
      open.segment.sync()
    } catch {
      // Nobody was promised these bytes; the next durable append will be refused (F2).
      this.#lose(session)
    }
  }

  #assertSure(session: string): void {
    if (this.#isUnsure(session)) throw unsure(session, 'another sync failed')
  }

  #isUnsure(session: string): boolean {
    return hasFailedSync(() => this.layout.session(session))
  }

  #lose(session: string): void {
    noteFailedSync(this.layout.session(session))
  }
}

/*
 * Whether the file of a segment is the one that a position was read in. A repair puts another in its place, which may be as
 * long as the old one, and of those who have the log open each has to be told.
 */
import type * as fs from 'node:fs'
import { logReplaced, logShrunk } from '../../kernel/log/replaced.ts'
import type { Host, Position } from '../../kernel/ports.ts'
import { statOf } from './durable.ts'
import type { Layout } from './layout.ts'
import { lastHeld, stands } from './read.ts'

/** While a writer has the file open, its name is looked at so often. */
const LOOK_MS = 100

export class Seen {
  readonly #layout: Layout
  readonly #sha256: Host['sha256']
  /** The number of the file in which a position was found to stand: of each that is asked about again, once. */
  readonly #files = new WeakMap<Position, number>()
  readonly #looked = new Map<string, number>()

  constructor(layout: Layout, sha256: Host['sha256']) {
    this.#layout = layout
    this.#sha256 = sha256
  }

  learn(session: string, position: Position): void {
    try {
      this.hasGrown(session, position)
    } catch {
      // Told to whoever looks behind it.
    }
  }

  /** Whether the commit of `position` ends exactly there: read once of each file. */
  stands(session: string, position: Position): ReturnType<typeof stands> {
    return this.#standsIn(this.#stat(session, position), session, position)
  }

  /** Whether there is more behind `after`; throws when it is no more the file that `after` was read in. */
  hasGrown(session: string, after: Position): boolean {
    const { segment, offset } = after
    const stat = this.#stat(session, after)
    if (stat === undefined) {
      this.#assertNext(session, after)
      return this.#layout.segments(session).some((first) => first > segment)
    }
    if (stat.size < offset) throw this.#files.get(after) === stat.ino ? logShrunk(session) : logReplaced(session)
    if (this.#standsIn(stat, session, after) === 'no') throw logReplaced(session)
    return stat.size > offset
  }

  /**
   * Before it is read: a segment that was taken away looks like one that is not begun yet, and would be waited for for ever; a
   * shorter one in the place of that in which `after` was found looks like the same that has lost its end.
   */
  assertThere(session: string, after: Position): void {
    const stat = this.#stat(session, after)
    if (stat === undefined) return this.#assertNext(session, after)
    const ino = this.#files.get(after)
    if (stat.size < after.offset && ino !== undefined && ino !== stat.ino) throw logReplaced(session)
  }

  /** Where the next segment is not begun, only the seal of the one before tells whether it is still the log that was read. */
  #assertNext(session: string, after: Position): void {
    if (after.seq === 0) return
    const before = lastHeld(this.#layout, session, after.segment)
    if (before === undefined) return
    // What was read stood in the file that is gone.
    if (after.offset > 0) throw logReplaced(session)
    const ino = statOf(this.#layout.segment(session, before))?.ino
    const found = stands(this.#layout, session, after, this.#sha256)
    if (found === 'yes' && ino !== undefined) this.#files.set(after, ino)
    if (found !== 'yes')
      throw found === 'short' && this.#files.get(after) === ino ? logShrunk(session) : logReplaced(session)
  }

  #stat(session: string, { segment }: Position): fs.Stats | undefined {
    return statOf(this.#layout.segment(session, segment))
  }

  /** `stat` is from before it is read: were the file replaced in between, its number would not fit. Only a yes is remembered. */
  #standsIn(stat: fs.Stats | undefined, session: string, position: Position): ReturnType<typeof stands> {
    if (stat !== undefined && stat.size >= position.offset && this.#files.get(position) === stat.ino) return 'yes'
    const found = stands(this.#layout, session, position, this.#sha256)
    if (found === 'yes' && stat !== undefined) this.#files.set(position, stat.ino)
    return found
  }

  isDue(session: string): boolean {
    const now = Date.now()
    if (Math.abs(now - (this.#looked.get(session) ?? 0)) < LOOK_MS) return false
    this.#looked.set(session, now)
    return true
  }

  forget(session: string): void {
    this.#looked.delete(session)
  }
}

/*
 * Whether the file of a segment is the one that was looked at before. A repair puts another in its place, which may be as
 * long as the old one: its number in the file system tells them apart.
 */
import * as fs from 'node:fs'
import type { Position } from '../../kernel/ports.ts'
import { logReplaced } from '../../kernel/replaced.ts'
import type { Layout } from './layout.ts'

/** While a writer has the file open, its name is looked at so often. */
const LOOK_MS = 100

export class Seen {
  readonly #layout: Layout
  readonly #files = new Map<string, { readonly segment: number; readonly ino: number }>()
  readonly #looked = new Map<string, number>()

  constructor(layout: Layout) {
    this.#layout = layout
  }

  /** Whether there is more behind `after`; throws when it is no more the file that `after` was read in. */
  hasGrown(session: string, { segment, offset }: Position): boolean {
    const stat = fs.lstatSync(this.#layout.segment(session, segment), { throwIfNoEntry: false })
    if (stat === undefined) return this.#layout.segments(session).some((first) => first > segment)
    const before = this.#files.get(session)
    this.#files.set(session, { segment, ino: stat.ino })
    if (stat.size < offset || (before?.segment === segment && before.ino !== stat.ino)) {
      this.#files.delete(session)
      throw logReplaced(session)
    }
    return stat.size > offset
  }

  isDue(session: string): boolean {
    const now = Date.now()
    if (Math.abs(now - (this.#looked.get(session) ?? 0)) < LOOK_MS) return false
    this.#looked.set(session, now)
    return true
  }

  forget(session: string): void {
    this.#files.delete(session)
    this.#looked.delete(session)
  }
}

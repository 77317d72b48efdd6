import type { Host } from '../../kernel/ports.ts'
import { isRealFolder, statOf } from './durable.ts'
import type { Layout } from './layout.ts'

/**
 * What a power cut took of a log is put back, once of each folder of redo files: this process does not outlive the next power
 * cut, but a copy from elsewhere may take the place of what was read.
 */
export class RedoPasses {
  readonly #layout: Layout
  readonly #sha256: Host['sha256']
  /** Of each session the folder that was looked into. */
  readonly #folders = new Map<string, string>()

  constructor(layout: Layout, sha256: Host['sha256']) {
    this.#layout = layout
    this.#sha256 = sha256
  }

  async over(session: string): Promise<void> {
    const folder = this.#layout.redo(session)
    const stat = statOf(folder)
    const found = stat && `${stat.ino} ${stat.birthtimeMs}`
    if (found === undefined || this.#folders.get(session) === found) return
    // Loaded on use: short commands mostly need none.
    if (isRealFolder(folder)) (await import('./redo-pass.ts')).redoPass(this.#layout, session, this.#sha256)
    this.#folders.set(session, found)
  }
}

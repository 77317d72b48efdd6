/** The sessions of a workspace, kept open and up to date by what their logs tell. */
import { hasBegun } from '../../../kernel/about-session.ts'
import { shutBy, withoutLog, type Shut } from '../../../kernel/care/shut.ts'
import { EngineError } from '../../../kernel/error.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import { LastCommits } from './last-commits.ts'

export class Board {
  readonly #workspace: Workspace
  readonly #changed: () => void
  readonly #open = new Map<string, { readonly session: Session; readonly unwatch: () => void }>()
  readonly #unread: Shut[] = []
  readonly #stop = new AbortController()
  #unwatch: (() => void) | undefined

  /** `changed` is called soon after anything may be different. */
  constructor(workspace: Workspace, changed: () => void) {
    this.#workspace = workspace
    this.#changed = changed
  }

  watch(): void {
    this.#unwatch = this.#workspace.kernel.log.watchSessions?.(this.#changed)
  }

  /** All sessions that have begun, as they are now. */
  async sessions(): Promise<readonly Session[]> {
    const { log } = this.#workspace.kernel
    const seen = new Set<string>()
    this.#unread.length = 0
    for await (const id of log.list()) {
      seen.add(id)
      if (!this.#open.has(id)) await this.#add(id)
    }
    for (const [id, { session, unwatch }] of this.#open) {
      if (seen.has(id)) await session.refresh()
      else {
        unwatch()
        this.#open.delete(id)
        await session.close()
      }
    }
    return [...this.#open.values()].map(({ session }) => session).filter(hasBegun)
  }

  /** What could not be looked at the last time, and what is no more in the list. */
  async shut(): Promise<readonly Shut[]> {
    return [...this.#unread, ...(await withoutLog(this.#workspace.kernel))]
  }

  tail(session: Session, count: number): LastCommits {
    return new LastCommits(session, { count, signal: this.#stop.signal, changed: this.#changed })
  }

  close(): void {
    this.#stop.abort()
    this.#unwatch?.()
    for (const { unwatch } of this.#open.values()) unwatch()
  }

  async #add(id: string): Promise<void> {
    const session = await this.#workspace.session(id).catch((error: unknown) => {
      // What was archived just now is left out.
      if (!(error instanceof EngineError && error.code === 'SESSION_NOT_FOUND')) this.#unread.push(shutBy(id, error))
    })
    if (session === undefined) return
    const { log } = this.#workspace.kernel
    this.#open.set(id, {
      session,
      unwatch: this.#unwatch === undefined ? () => undefined : log.watch(id, this.#changed),
    })
  }
}

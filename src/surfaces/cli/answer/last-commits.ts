import type { Commit } from '../../../kernel/log/commit.ts'
import type { Session } from '../../../kernel/session.ts'

interface LastCommitsOptions {
  readonly count: number
  readonly signal: AbortSignal
  /** Called when there are others. */
  readonly changed: () => void
}

/** The last commits of a session as they come, until its log is another one or cannot be read on. */
export class LastCommits {
  readonly all: readonly Commit[]
  readonly #session: Session
  readonly #lives: number
  #isOver = false

  constructor(session: Session, { count, signal, changed }: LastCommitsOptions) {
    const kept: Commit[] = []
    this.all = kept
    this.#session = session
    this.#lives = session.lives
    void (async () => {
      for await (const commit of session.commits({ after: Math.max(0, session.seq - count), live: true, signal })) {
        kept.push(commit)
        if (kept.length > count) kept.shift()
        changed()
      }
    })()
      .catch(() => undefined)
      .finally(() => {
        this.#isOver = true
        changed()
      })
  }

  /** Whether these are the last of that session, or will be. */
  holdFor(session: Session): boolean {
    const isBehind = this.#isOver && session.seq > (this.all.at(-1)?.seq ?? 0)
    return session === this.#session && session.lives === this.#lives && !isBehind
  }
}

/*
 * What a kernel tells whoever observes it, such as telemetry.
 *
 * O1. Nobody waits for an observer, and nothing depends on it: it does not throw.
 * O2. It hears of a commit when that is durable.
 */
import type { Draft } from './log/commit.ts'
import type { Answer } from './operation/answer.ts'
import type { Tree } from './state/module.ts'

/** A session, and its state in this process as it is now. */
export interface Watched {
  readonly id: string
  readonly state: Readonly<Tree>
}

export interface Asked {
  readonly operation: string
  readonly actor: string | undefined
}

/** What came of an operation: an answer, or what it threw. */
export type Outcome = { readonly answer: Answer } | { readonly error: unknown }

export interface Observer {
  /** An operation begins; what this answers is called once, when it has ended. */
  began(session: Watched, asked: Asked): (outcome: Outcome) => void
  /** What is written next is decided on this state, which has what others wrote. */
  deciding(session: Watched): void
  /** Commits of this process, in order (O2). */
  committed(session: Watched, commits: readonly Draft[]): void
  /** An append lost its place to another writer: what it held is decided again. */
  conflicted(session: Watched): void
}

export async function observed(
  observer: Observer,
  session: Watched,
  asked: Asked,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const ended = observer.began(session, asked)
  try {
    const answer = await run()
    ended({ answer })
    return answer
  } catch (error) {
    ended({ error })
    throw error
  }
}

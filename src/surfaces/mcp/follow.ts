/*
 * Follows the log of a session for whoever is told of changes.
 *
 * F1. Where another log took the place of the one that was followed, by a repair or a pull, that is a change, and what comes
 *     behind it is followed.
 * F2. A log that cannot be read is tried again, as long as there is such a session: somebody may be about to repair it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Commit } from '../../kernel/commit.ts'
import { commitsOf } from '../../kernel/commits.ts'
import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import type { McpParts } from './parts.ts'

/** Before a log is tried again (F2); twice as long each time, up to the longest. */
const PAUSE_MS = 1000
const LONGEST_MS = 60_000

/** Where a session stands. */
export type Place = Pick<Session, 'id' | 'position'>

/** `tell` gets each commit behind the place, or nothing where another log took its place (F1). */
export function followLog(parts: McpParts, from: Place, tell: (commit?: Commit) => void): () => void {
  const stop = new AbortController()
  follow(parts, from, { tell, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) parts.warn(`session ${from.id} is followed no longer: ${String(error)}`)
  })
  return () => stop.abort()
}

interface Told {
  readonly tell: (commit?: Commit) => void
  readonly signal: AbortSignal
}

async function follow(parts: McpParts, { id, position }: Place, { tell, signal }: Told): Promise<void> {
  const { sessions } = parts
  let from = position
  let { hash } = position
  for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_MS)) {
    try {
      const live = { after: from.seq, live: true, signal }
      for await (const commit of commitsOf(sessions.kernel, id, live, { position: from })) {
        if (signal.aborted) return
        pause = PAUSE_MS
        hash = commit.hash
        tell(commit)
      }
      return
    } catch (error) {
      if (isOver(error)) throw error
    }
    await sleep(pause, undefined, { signal, ref: false })
    const now = await sessions
      .use(id, async (session) => session.position)
      .catch((error: unknown) => {
        if (isOver(error)) throw error
      })
    if (now === undefined) continue
    if (now.hash !== hash) tell()
    from = now
    hash = now.hash
  }
}

const isOver = (error: unknown): boolean => error instanceof EngineError && error.code === 'SESSION_NOT_FOUND'

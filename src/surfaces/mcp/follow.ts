/** Tells of what becomes of the log of a session. */
import { EngineError } from '../../kernel/error.ts'
import type { Commit } from '../../kernel/log/commit.ts'
import { follow } from '../../kernel/log/follow.ts'
import type { Session } from '../../kernel/session.ts'
import type { McpParts } from './parts.ts'

/** Where a session stands. */
export type Place = Pick<Session, 'id' | 'position'>

/** `tell` gets each commit behind the place, or nothing where another log took its place. */
export function followLog(parts: McpParts, from: Place, tell: (commit?: Commit) => void): () => void {
  const stop = new AbortController()
  tellOf(parts, from, { tell, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) parts.warn(`session ${from.id} is followed no longer: ${String(error)}`)
  })
  return () => stop.abort()
}

interface Told {
  readonly tell: (commit?: Commit) => void
  readonly signal: AbortSignal
}

async function tellOf({ sessions }: McpParts, { id, position }: Place, { tell, signal }: Told): Promise<void> {
  let { hash } = position
  const replaced = async () => {
    const now = await sessions.use(id, async (session) => session.position).catch(unlessGone)
    if (now === undefined || now.hash === hash) return undefined
    hash = now.hash
    tell()
    return now
  }
  const place = async () => position
  for await (const commit of follow(sessions.kernel, { id, after: position.seq, place, replaced, signal })) {
    if (signal.aborted) return
    hash = commit.hash
    tell(commit)
  }
}

/** What cannot be read now may be read later. */
function unlessGone(error: unknown): undefined {
  if (error instanceof EngineError && error.code === 'SESSION_NOT_FOUND') throw error
}

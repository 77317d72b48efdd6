/* What is left of forks whose makers were killed: the history of another session, which nothing lists. G5 of kernel/care/retention.ts. */
import { hasBegun, toldId } from '../kernel/about-session.ts'
import { EngineError } from '../kernel/error.ts'
import type { Leftover } from '../kernel/ports.ts'
import type { Session } from '../kernel/session.ts'
import type { Workspace } from '../kernel/workspace.ts'

/** Among those that are not `begun`. */
export async function halfForks(
  workspace: Workspace,
  begun: ReadonlySet<string>,
  older: number,
): Promise<readonly Leftover[]> {
  const { log } = workspace.kernel
  const attic = await log.attic?.()
  const left: Leftover[] = []
  if (attic?.half === undefined) return left
  for await (const id of log.list()) {
    // Its age first: of one that is being made no log is read.
    const found = begun.has(id) ? [] : await attic.half(id, older)
    if (found.length > 0 && (await isHalf(workspace, id))) left.push(...found)
  }
  return left
}

const isHalf = (workspace: Workspace, id: string): Promise<boolean> =>
  asked(workspace, id, async (session) => {
    const origin = toldId(session)
    if (hasBegun(session) || session.seq === 0 || origin === null) return false
    return asked(workspace, origin, (from) => hasCommit(from, session.position))
  })

/** False of one that is not there, or cannot be read. */
async function asked(workspace: Workspace, id: string, ask: (session: Session) => Promise<boolean>): Promise<boolean> {
  const session = await workspace.session(id).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined
    throw error
  })
  if (session === undefined) return false
  try {
    return await ask(session)
  } finally {
    await session.close()
  }
}

async function hasCommit(session: Session, { seq, hash }: Session['position']): Promise<boolean> {
  if (session.damage !== undefined) return false
  for await (const commit of session.commits({ after: seq - 1, until: seq })) return commit.hash === hash
  return false
}

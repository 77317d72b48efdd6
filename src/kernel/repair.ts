import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import { Session } from './session.ts'
import { verifySession, type Verification } from './verify.ts'

export interface Repair {
  readonly before: Verification
  /** Where the damaged bytes are kept now. */
  readonly aside: readonly string[]
  /** Sequence number of the commit that tells of the repair; undefined when there was nothing to do. */
  readonly seq: number | undefined
}

/** Cuts a damaged log back to its last proven commit. The bytes behind it are copied aside first (L1). */
export async function repairSession(kernel: Kernel, session: string, actor?: string): Promise<Repair> {
  // Deep: a commit that no program of this format would write is damage, too, though its hash checks.
  const before = await verifySession(kernel, session, true)
  if (before.error === undefined) return { before, aside: [], seq: undefined }
  if (kernel.log.repair === undefined) {
    throw new EngineError('STORE_UNAVAILABLE', 'this store cannot repair a log', {
      hint: 'copy the session to a files workspace and repair it there',
    })
  }
  const aside = await kernel.log.repair(session, before.error)
  const opened = await new Session(kernel, session).open()
  const { seq, reason } = before.error
  const answer = await opened.run('session.repair', { seq: seq - 1, reason, aside: [...aside] }, { actor })
  await opened.close()
  if (answer.kind === 'accepted') return { before, aside, seq: answer.seq }
  throw new EngineError(answer.code, answer.message, answer)
}

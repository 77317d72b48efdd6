import { failure } from '../decision.ts'
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { NEWER_FORMAT } from '../log/chain.ts'
import type { Cut } from '../ports.ts'
import { Session } from '../session.ts'
import { goingFrom, type Going } from './going.ts'
import { verifySession, type Verification } from './verify.ts'

export interface Repair {
  readonly before: Verification
  /** What was cut now; undefined where only an earlier cut was told of. */
  readonly cut: Going | undefined
  /** Where the damaged bytes are kept now. */
  readonly aside: readonly string[]
  /** Sequence number of the commit that tells of the repair; undefined when there was nothing to do. */
  readonly seq: number | undefined
}

/**
 * Cuts a damaged log back to its last proven commit. The bytes behind it are copied aside first (L1). What a repair that was
 * killed has cut is told as well.
 */
export async function repairSession(kernel: Kernel, session: string, actor?: string): Promise<Repair> {
  // Deep: a commit that no program of this format would write is damage, too, though its hash checks.
  const before = await verifySession(kernel, session, true)
  let cut: Going | undefined
  if (before.error !== undefined) {
    assertKnown(before)
    if (kernel.log.repair === undefined) {
      throw new EngineError('STORE_UNAVAILABLE', 'this store cannot repair a log', {
        hint: 'bring what is missing back from a backup; what stands before it can be had by: steadfold workspace copy FROM TO',
      })
    }
    cut = await goingFrom(kernel, session, before.error)
    await kernel.log.repair(session, before.error, before.error)
  }
  const attic = await kernel.log.attic?.()
  const cuts = (await attic?.untold?.(session)) ?? []
  if (cuts.length === 0) return { before, cut, aside: [], seq: undefined }
  const opened = await new Session(kernel, session).open()
  let seq: number | undefined
  for (const each of cuts) {
    // One that keeps nothing was killed before it cut.
    if (each.aside.length > 0) seq = await tell(opened, each, actor)
    await attic?.told?.(session, each)
  }
  await opened.close()
  return { before, cut, aside: cuts.flatMap(({ aside }) => aside), seq }
}

/** Throws VERSION_UNKNOWN: commits whose hashes check, of events that a newer program knows, are not cut off. */
export function assertKnown({ session, error }: Verification): void {
  if (error?.code !== 'VERSION_UNKNOWN' || error.reason === NEWER_FORMAT) return
  throw new EngineError('VERSION_UNKNOWN', `session ${session}, commit ${error.seq}: ${error.reason}`, {
    hint: 'open it with the newer steadfold that wrote it',
  })
}

/** By a key of its own: killed behind the commit, the next one adds nothing. */
async function tell(session: Session, { id, seq, reason, aside }: Cut, actor: string | undefined): Promise<number> {
  const told = { seq: seq - 1, reason, aside: [...aside] }
  const answer = await session.run('session.repair', told, { actor, key: `session.repair:${id}` })
  if (answer.kind === 'accepted') return answer.seq
  throw failure(answer)
}

/*
 * All sessions of a workspace into another, whatever keeps them.
 *
 * C1. Logs are copied byte for byte; what is there already is compared by its chain and not written again, so that a copy
 *     that was cut short goes on where it stood.
 * C2. A session counts as copied when its copy, read anew, ends with the same hash.
 * C3. One that cannot be copied does not keep back the others.
 */
import { hasBegun } from '../about-session.ts'
import { EngineError, type ErrorCode } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { Chain, START } from '../log/chain.ts'
import { appendLines, commitBatches, copyBlobs } from '../log/copy.ts'
import { corrupt, scanLog } from '../log/replay.ts'
import { claimName, releaseName, unlessGone } from '../names.ts'
import type { Position } from '../ports.ts'
import type { Workspace } from '../workspace.ts'

export interface Copied {
  readonly session: string
  readonly name: string
  /** Where the copy stands. */
  readonly seq: number
  /** Commits that were not there before. */
  readonly commits: number
  readonly blobs: number
  readonly hash: string
  /** Why it was not copied. */
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string }
}

export async function* copyWorkspace(from: Workspace, to: Workspace): AsyncGenerator<Copied> {
  for await (const id of from.kernel.log.list()) {
    let name = id
    try {
      const told = await nameIn(from, id)
      if (told === undefined) continue
      name = told
      yield { session: id, name, ...(await copySession(from.kernel, to, id, name)) }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      const { code, message, hint } = error
      const why = { code, message, ...(hint === undefined ? {} : { hint }) }
      yield { session: id, name, seq: 0, commits: 0, blobs: 0, hash: START.hash, error: why }
    }
  }
}

/** Undefined for one that has not begun, or was put away since it was listed. */
async function nameIn(from: Workspace, id: string): Promise<string | undefined> {
  const session = await from.session(id).catch(unlessGone)
  if (session === undefined) return undefined
  const name: unknown = session.get('$.session.name')
  const begun = hasBegun(session)
  await session.close()
  if (!begun) return undefined
  return typeof name === 'string' && name !== '' ? name : id
}

async function copySession(from: Kernel, to: Workspace, id: string, name: string) {
  const { log } = to.kernel
  await named(to, id, name)
  await log.create(id)
  const stood = await endOf(to.kernel, id)
  const same = await placeIn(from, id, stood)
  if (same === undefined) throw await apart(from, to.kernel, id, stood)
  let [position, blobs] = [stood, 0]
  for await (const batch of commitBatches(from, id, same, Infinity)) {
    blobs += await copyBlobs({ log: from.log, session: id }, { log: to.kernel.log, session: id }, batch.bytes)
    position = await appendLines(to.kernel, id, batch, position)
  }
  const { seq, hash } = await endOf(to.kernel, id)
  if (hash !== position.hash)
    throw new EngineError('LOG_CORRUPT', `the copy of session ${id} does not end as it was written`)
  return { seq, hash, commits: seq - stood.seq, blobs }
}

/** C1: where a log has the commit that the other ends with; undefined where it has another, or none. */
async function placeIn({ log, host }: Kernel, id: string, { seq, hash }: Position): Promise<Position | undefined> {
  if (seq === 0) return START
  let found: Position | undefined
  const scanned = scanLog(log, id, new Chain(START, host.sha256), (link, behind) => {
    if (link.seq === seq && link.hash === hash) found = behind
  })
  for await (const _ of scanned) if (found !== undefined) return found
  return undefined
}

/** Why nothing can be put behind what is there. */
async function apart(from: Kernel, to: Kernel, id: string, stood: Position): Promise<EngineError> {
  const end = await endOf(from, id)
  if ((await placeIn(to, id, end)) === undefined)
    return new EngineError('DIVERGED', `session ${id} is there with another history, which commit ${stood.seq} ends`, {
      hint: 'copy to an empty workspace, or archive the one that is there',
    })
  return new EngineError(
    'CONFLICT',
    `session ${id} went on there: it is at commit ${stood.seq}, and here at ${end.seq}`,
    { hint: 'nothing of it is missing there; to have it here, copy the other way round' },
  )
}

/** C1: names are one session's in the other workspace, too. */
async function named(to: Workspace, id: string, name: string): Promise<void> {
  const { log, host } = to.kernel
  if (log.names === undefined) return
  const standing = async (holder: string) => {
    if (!(await log.exists(holder))) return 'begins'
    const session = await to.session(holder)
    const its: unknown = session.get('$.session.name')
    await session.close()
    return its === name ? 'has it' : 'has another'
  }
  const names = { store: log.names, host, standing }
  await claimName(names, name, id).catch(async (error: unknown) => {
    await releaseName(names, name, id)
    throw error
  })
}

/** C2: read from its first byte on. */
async function endOf({ log, host }: Kernel, id: string): Promise<Position> {
  const chain = new Chain(START, host.sha256)
  for await (const _ of scanLog(log, id, chain)) continue
  if (chain.damage !== undefined) throw corrupt(id, chain.damage)
  return chain.position
}

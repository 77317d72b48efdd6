/* Blobs that a state names: whether they are there, and are what they were. */
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import type { Log } from '../ports.ts'
import type { Tree } from '../state/module.ts'
import type { KeptAt } from '../state/references.ts'

/** One that is not what its name says. */
export interface LostBlob extends KeptAt {
  readonly why: 'missing' | 'altered'
}

/** Undefined where it is gone. */
export async function readBlob(
  { blobs }: Pick<Log, 'blobs'>,
  session: string,
  sha256: string,
): Promise<Buffer | 'altered' | undefined> {
  try {
    return await blobs?.get(session, sha256)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'BLOB_CORRUPT') return 'altered'
    throw error
  }
}

/** In the order of the state; each is looked at once, whatever names it. Not `deep` are only those found that are gone. */
export async function lostBlobs(
  { log, kept }: Pick<Kernel, 'log' | 'kept'>,
  session: string,
  root: Readonly<Tree>,
  deep: boolean,
): Promise<readonly LostBlob[]> {
  if (log.blobs === undefined) return []
  const known = new Map<string, LostBlob['why'] | undefined>()
  const lost: LostBlob[] = []
  for (const each of (await kept?.(root)) ?? []) {
    const { sha256 } = each
    if (!known.has(sha256)) known.set(sha256, await (deep ? whyLost : unlessThere)(log, session, sha256))
    const why = known.get(sha256)
    if (why !== undefined) lost.push({ ...each, why })
  }
  return lost
}

async function whyLost(log: Log, session: string, sha256: string): Promise<LostBlob['why'] | undefined> {
  const found = await readBlob(log, session, sha256)
  return found === undefined ? 'missing' : found === 'altered' ? 'altered' : undefined
}

async function unlessThere({ blobs }: Log, session: string, sha256: string): Promise<'missing' | undefined> {
  return (await blobs?.has?.(session, sha256)) === false ? 'missing' : undefined
}

/*
 * The state as it is in this process, for the thread that writes a checkpoint. To recover it there takes as long as the log
 * has grown, however small the state is, and a processor that eight writers lack meanwhile.
 *
 * T1. The text is what replay gives, to the order of members (K1). It is not asked of a replica that may differ from that: one in which a
 *     member has come back (E1), or of which somebody holds an object, and may have written to it.
 * T2. It is taken while no write is under way: nothing in it can be taken back, and all of it stands in the log.
 * T3. It is small, so that nobody waits; else there is none, and the session is recovered.
 */
import { jsonPieces } from '../json/pieces.ts'
import type { Position } from '../ports.ts'
import type { Tree } from '../state/module.ts'

/** In UTF-16 units. */
const MOST = 1024 * 1024
/** The same as UTF-8, with a head. */
const MOST_BYTES = 4 * MOST
const MOST_KEYS = 4096

export interface Taken {
  readonly position: Position
  readonly at: string
  readonly keys: ReadonlyMap<string, number>
  /** Names the code that folded it: after an upgrade, that of the thread is another (K4). */
  readonly shape: string
  /** JSON. */
  readonly state: string
}

/** A replica. */
export interface Source extends Pick<Taken, 'at' | 'keys'> {
  readonly chain: { readonly position: Position }
  readonly tree: Tree
  readonly isAsReplayed: boolean
  /** Size of the last checkpoint, 0 when none is known. */
  readonly checkpointBytes: number
}

export function takenOf(replica: Source, shape: string): Taken | undefined {
  const { chain, tree, at, keys } = replica
  if (!replica.isAsReplayed || replica.checkpointBytes > MOST_BYTES || keys.size > MOST_KEYS) return undefined
  let state = ''
  for (const piece of jsonPieces(tree)) {
    state += piece
    if (state.length > MOST) return undefined
  }
  return { position: { ...chain.position }, at, keys: new Map(keys), shape, state }
}

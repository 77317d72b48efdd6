/*
 * The state as it is in this process, for the thread that writes a checkpoint. To recover it there takes as long as the log
 * has grown, however small the state is: of eight processes that write at once, a fifth of all that is done.
 *
 * T1. The text is what replay gives, to the order of members (K1). It is not asked of a replica that may differ from that.
 * T2. It is taken while no write is under way: nothing in it can be taken back, and all of it stands in the log.
 * T3. It is small, so that nobody waits; else there is none, and the session is recovered.
 */
import { jsonPieces } from '../json/pieces.ts'
import type { Position } from '../ports.ts'
import type { Tree } from '../state/module.ts'

/** In UTF-16 units. */
const MOST = 1024 * 1024
const MOST_KEYS = 4096

export interface Taken {
  readonly position: Position
  readonly at: string
  readonly keys: ReadonlyMap<string, number>
  /** JSON. */
  readonly state: string
}

/** A replica. */
export interface Source extends Omit<Taken, 'position' | 'state'> {
  readonly chain: { readonly position: Position }
  readonly tree: Tree
  readonly isAsReplayed: boolean
  /** Size of the last checkpoint, 0 when none is known. */
  readonly checkpointBytes: number
}

export function takenOf(replica: Source): Taken | undefined {
  const { chain, tree, at, keys } = replica
  if (!replica.isAsReplayed || replica.checkpointBytes > MOST || keys.size > MOST_KEYS) return undefined
  let state = ''
  for (const piece of jsonPieces(tree)) {
    state += piece
    if (state.length > MOST) return undefined
  }
  return { position: { ...chain.position }, at, keys, state }
}

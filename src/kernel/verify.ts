/*
 * Whether a log tells the truth, read from its first byte on.
 */
import { Chain, START, type Damage, type Fragment } from './chain.ts'
import { decodeCheckpoint, stateHash, type Checkpoint } from './checkpoint.ts'
import { stateAt } from './history.ts'
import type { Kernel } from './kernel.ts'
import type { Position } from './ports.ts'
import { scanLog } from './replay.ts'

export type CheckpointState = 'none' | 'ok' | 'damaged' | 'foreign' | 'ahead' | 'wrong'

export interface Verification {
  readonly session: string
  /** Last commit that the chain proves. */
  readonly seq: number
  /** False when acknowledged history is damaged or missing. Torn fragments and lost races lose nothing. */
  readonly ok: boolean
  readonly torn: number
  readonly races: number
  readonly fragments: readonly Fragment[]
  readonly checkpoint: CheckpointState
  readonly error?: Damage & { readonly code: 'LOG_CORRUPT' | 'CHECKPOINT_AHEAD' }
}

/** `deep` also folds the log up to the checkpoint and compares the state. */
export async function verifySession(kernel: Kernel, session: string, deep = false): Promise<Verification> {
  const chain = new Chain(START, kernel.host.sha256)
  const bytes = await kernel.log.checkpoints?.get(session)
  const checkpoint = bytes === undefined ? undefined : decodeCheckpoint(bytes, { sha256: kernel.host.sha256 })
  let met: string | undefined
  const scanned = scanLog(kernel.log, session, chain, ({ seq, hash }) => {
    if (seq === checkpoint?.position.seq) met = hash
  })
  // Nothing is parsed, so that a million commits take seconds.
  for await (const _ of scanned) continue
  const unread = bytes === undefined ? 'none' : 'damaged'
  const shallow = checkpoint === undefined ? unread : judge(checkpoint.position, chain.position, met)
  const state =
    deep && shallow === 'ok' && checkpoint !== undefined ? await judgeState(kernel, session, checkpoint) : shallow
  const fragments = [...chain.torn, ...chain.trailing, ...(chain.unfinished === undefined ? [] : [chain.unfinished])]
  const damage = damageOf(chain, state, checkpoint?.position.seq ?? 0)
  const { seq } = chain.position
  return {
    session,
    seq,
    ok: damage === undefined,
    torn: fragments.length,
    races: chain.races,
    fragments,
    checkpoint: state,
    ...(damage === undefined ? {} : { error: damage }),
  }
}

/** Against the log's end, and the hash that its commit at that place has. */
function judge(checkpoint: Position, end: Position, met: string | undefined): CheckpointState {
  if (checkpoint.seq > end.seq) return 'ahead'
  return met === checkpoint.hash ? 'ok' : 'foreign'
}

async function judgeState(
  kernel: Kernel,
  session: string,
  { position, stateHash: hash }: Checkpoint,
): Promise<CheckpointState> {
  const state = await stateAt(kernel, session, position.seq)
  return stateHash(state, kernel.host.sha256) === hash ? 'ok' : 'wrong'
}

function damageOf(chain: Chain, state: CheckpointState, checkpointSeq: number): Verification['error'] {
  if (chain.damage !== undefined) return { code: 'LOG_CORRUPT', ...chain.damage }
  if (state !== 'ahead') return undefined
  const { seq, segment, offset } = chain.position
  return {
    code: 'CHECKPOINT_AHEAD',
    seq: seq + 1,
    segment,
    offset,
    bytes: 0,
    reason: `a checkpoint stands at commit ${checkpointSeq}, but the log ends at ${seq}: its tail was lost`,
  }
}

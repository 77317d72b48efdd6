/*
 * Whether a log tells the truth, read from its first byte on.
 */
import { Chain, START, type Damage, type Fragment } from './chain.ts'
import { decodeCheckpoint, stateHash } from './checkpoint.ts'
import { stateAt } from './history.ts'
import type { Kernel } from './kernel.ts'
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
  const checkpoint = decodeCheckpoint(await bytesOf(kernel, session), kernel.host.sha256)
  const meets = { hash: undefined as string | undefined }
  const scanned = scanLog(kernel.log, session, chain, ({ seq, hash }) => {
    if (seq === checkpoint?.position.seq) meets.hash = hash
  })
  // Nothing is parsed, so that a million commits take seconds.
  for await (const _ of scanned) continue
  const state = await judge(kernel, session, chain, meets.hash, deep)
  const fragments = [...chain.torn, ...chain.trailing, ...(chain.unfinished === undefined ? [] : [chain.unfinished])]
  const damage = damageOf(chain, state, checkpoint?.position.seq ?? 0)
  const { seq } = chain.position
  return { session, seq, ok: damage === undefined, torn: fragments.length, races: chain.races, fragments, checkpoint: state, ...(damage === undefined ? {} : { error: damage }) }
}

async function bytesOf(kernel: Kernel, session: string): Promise<Buffer> {
  return (await kernel.log.checkpoints?.get(session)) ?? Buffer.alloc(0)
}

async function judge(kernel: Kernel, session: string, chain: Chain, hash: string | undefined, deep: boolean): Promise<CheckpointState> {
  const bytes = await bytesOf(kernel, session)
  if (bytes.length === 0) return 'none'
  const checkpoint = decodeCheckpoint(bytes, kernel.host.sha256)
  if (checkpoint === undefined) return 'damaged'
  const { position } = checkpoint
  if (position.seq > chain.position.seq) return 'ahead'
  if (hash !== position.hash) return 'foreign'
  if (!deep) return 'ok'
  const state = await stateAt(kernel, session, position.seq)
  return stateHash(state, kernel.host.sha256) === checkpoint.stateHash ? 'ok' : 'wrong'
}

function damageOf(chain: Chain, state: CheckpointState, checkpointSeq: number): Verification['error'] {
  if (chain.damage !== undefined) return { code: 'LOG_CORRUPT', ...chain.damage }
  if (state !== 'ahead') return undefined
  const { seq, segment, offset } = chain.position
  return { code: 'CHECKPOINT_AHEAD', seq: seq + 1, segment, offset, bytes: 0, reason: `a checkpoint stands at commit ${checkpointSeq}, but the log ends at ${seq}: its tail was lost` }
}

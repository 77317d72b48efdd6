import type { Kernel } from '../kernel.ts'
import { encodeCheckpoint, lengthOf } from './checkpoint.ts'
import { LEAST_SHARE } from './checkpointing.ts'
import { Replica } from './replica.ts'

/** Recovers the session and writes the result down. Answers the size of the checkpoint in bytes, 0 when none was made. */
export async function makeCheckpoint(kernel: Kernel, session: string): Promise<number> {
  const replica = new Replica(kernel, session)
  await replica.open()
  if (replica.chain.damage !== undefined || replica.seq === replica.checkpointSeq) return replica.checkpointBytes
  // Another process was quicker.
  if (replica.checkpointSeq > 0 && replica.bytesSince < kernel.settings.checkpointBytes * LEAST_SHARE)
    return replica.checkpointBytes
  // K3: only what is durable may stand in a checkpoint.
  await kernel.log.sync(session)
  const { chain, at, keys, tree } = replica
  const from = { position: chain.position, at, keys: () => keys, state: tree, shape: kernel.shape }
  const bytes = encodeCheckpoint(from, kernel.host)
  await kernel.log.checkpoints?.put(session, bytes)
  // A repair may have cut the log meanwhile; then it has taken away the one that was there.
  if ((await kernel.log.stands(session, { ...chain.position })) === 'yes') return lengthOf(bytes)
  await kernel.log.checkpoints?.delete(session)
  return 0
}

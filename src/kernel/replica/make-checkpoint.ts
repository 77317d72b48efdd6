import type { Kernel } from '../kernel.ts'
import type { Tree } from '../state/module.ts'
import { encodeCheckpoint, lengthOf } from './checkpoint.ts'
import { LEAST_SHARE } from './checkpointing.ts'
import { Replica } from './replica.ts'
import type { Taken } from './taken.ts'

type Recovered = Omit<Taken, 'state' | 'shape'> & { readonly state: Tree }

/**
 * Writes down what was taken of a session, or else recovers it and writes the result down. Answers the size of the checkpoint in bytes,
 * 0 when none was made.
 */
export async function makeCheckpoint(kernel: Kernel, session: string, taken?: Taken): Promise<number> {
  if (taken !== undefined && (await isOfUse(kernel, session, taken)))
    return write(kernel, session, { ...taken, state: JSON.parse(taken.state) as Tree })
  const replica = new Replica(kernel, session)
  await replica.open()
  if (replica.chain.damage !== undefined || replica.seq === replica.checkpointSeq) return replica.checkpointBytes
  // Another process was quicker.
  if (replica.checkpointSeq > 0 && replica.bytesSince < kernel.settings.checkpointBytes * LEAST_SHARE)
    return replica.checkpointBytes
  const { chain, at, keys, tree } = replica
  return write(kernel, session, { position: chain.position, at, keys, state: tree })
}

/** Of this code, and of the log that is there; nothing younger stands there already. */
async function isOfUse({ log, shape }: Kernel, session: string, taken: Taken): Promise<boolean> {
  if (taken.shape !== shape || (log.checkpoints?.latest?.(session)?.seq ?? 0) >= taken.position.seq) return false
  return (await log.stands(session, { ...taken.position })) === 'yes'
}

async function write(kernel: Kernel, session: string, { keys, ...from }: Recovered): Promise<number> {
  // K3: only what is durable may stand in a checkpoint.
  await kernel.log.sync(session)
  const bytes = encodeCheckpoint({ ...from, keys: () => keys, shape: kernel.shape }, kernel.host)
  await kernel.log.checkpoints?.put(session, bytes)
  // A repair may have cut the log meanwhile; then it has taken away the one that was there.
  if ((await kernel.log.stands(session, { ...from.position })) === 'yes') return lengthOf(bytes)
  await kernel.log.checkpoints?.delete(session)
  return 0
}

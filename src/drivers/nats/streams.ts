/* The stream of a workspace: how many servers keep it. */
import type { JetStreamManager } from '@nats-io/jetstream'
import { EngineError } from '../../kernel/error.ts'
import type { Address } from './address.ts'
import { isNoStream } from './failure.ts'

/** Undefined while there is no such stream. */
export async function replicasOf(manager: JetStreamManager, stream: string): Promise<number | undefined> {
  try {
    return (await manager.streams.info(stream)).config.num_replicas
  } catch (error) {
    if (isNoStream(error)) return undefined
    throw error
  }
}

interface Making {
  readonly address: Address
  readonly clustered: boolean
}

const MANY = 3

/** Three copies in a cluster, unless the address says otherwise: fewer than were meant are never made in silence. */
export async function made(manager: JetStreamManager, name: string, { address, clustered }: Making): Promise<number> {
  const asked = address.replicas ?? (clustered ? MANY : 1)
  if (asked > 1 && !clustered)
    throw new EngineError('INPUT_INVALID', `replicas=${asked} needs a cluster: this is one server`, {
      hint: 'leave replicas out, or start three servers as a cluster',
    })
  // L1: no message is deleted. A closed log is purged from its archive (J6), by who may.
  await manager.streams.add({
    name,
    subjects: [`steadfold.${address.namespace}.log.*`],
    storage: 'file',
    num_replicas: asked,
    discard: 'new',
    deny_delete: true,
  })
  return asked
}

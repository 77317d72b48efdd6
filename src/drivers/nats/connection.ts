/* One connection of this process, what it is for, and patience while the servers are away. */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { KV } from '@nats-io/kv'
import type { ObjectStore } from '@nats-io/obj'
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import { pause } from '../../kernel/log/pause.ts'
import type { Address } from './address.ts'
import { asFailure, isPassing } from './failure.ts'

export interface Connection {
  readonly address: Address
  readonly nats: NatsConnection
  readonly client: JetStreamClient
  readonly manager: JetStreamManager
  readonly stream: string
  /** One server keeps the stream, and so stores one message behind another. */
  readonly alone: boolean
  /** Says what is wrong with the servers. */
  readonly warn: (message: string) => void
  readonly keys: KV
  readonly objects: ObjectStore
  /** Empty ones: packages are loaded in one place, where it is said when they are missing. */
  readonly headers: () => MsgHdrs
  /** Most bytes of lines in one message. */
  readonly most: number
}

/** Tries again while the failure passes. */
export async function patiently<T>({ patience }: Address, doing: string, task: () => Promise<T>): Promise<T> {
  const began = Date.now()
  for (let attempt = 0; ; attempt++) {
    try {
      return await patience.tried(task)
    } catch (error) {
      if (!isPassing(error) || !patience.lasts(began, error)) throw asFailure(error, doing)
      await sleep(pause(attempt, Math.random()))
    }
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

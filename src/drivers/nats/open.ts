/* Opens a workspace in NATS JetStream: the packages, the stream and its buckets, what the servers promise, their clock. */
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { EngineError } from '../../kernel/error.ts'
import type { Host, LogFacts } from '../../kernel/ports.ts'
import { addressOf, type Address } from './address.ts'
import type { Connection } from './connection.ts'
import { asFailure, isNoStream } from './failure.ts'
import { NatsLog } from './nats.ts'

export interface Opening {
  readonly url: string
  /** Make the stream and its buckets where they are missing. */
  readonly create: boolean
  readonly sha256: Host['sha256']
  readonly warn: (message: string) => void
}

export interface Opened {
  readonly log: NatsLog
  /** What the servers' clock is ahead of ours, in ms. */
  readonly ahead: number
  /** The address without its password. */
  readonly shown: string
  /** What tells this workspace from others; the same on every machine. */
  readonly place: string
  readonly facts: (session: string) => Promise<LogFacts>
  /** What is not covered here. */
  readonly doubts: readonly string[]
  readonly settings: { readonly commitBytes: number }
}

const CONNECT_MS = 5000
/** Headers, and what the protocol adds. */
const BESIDES = 2048
const LEAST = 209
const LEAST_TO_SYNC = 210

export async function openNats({ url, create, sha256, warn }: Opening): Promise<Opened> {
  const address = addressOf(url)
  const packages = await loaded()
  const nats = await connected(packages, address)
  try {
    const doubts = versionOf(nats)
    const connection = await prepared(packages, { nats, address, create })
    const { created } = await connection.manager.streams.info(connection.stream)
    doubts.push(ALONE)
    if (create) for (const doubt of doubts) warn(`${address.shown}: ${doubt}`)
    const log = new NatsLog(connection, sha256)
    return {
      log,
      ahead: await clock(connection),
      shown: address.shown,
      place: `nats-${sha256(`${address.namespace} ${created}`).slice(0, 32)}`,
      facts: (session) => log.facts(session),
      doubts,
      settings: { commitBytes: connection.most },
    }
  } catch (error) {
    await nats.close()
    throw asFailure(error, `cannot open ${address.shown}`)
  }
}

type Packages = Awaited<ReturnType<typeof loaded>>

async function loaded() {
  try {
    const [transport, jetstream, kv, obj] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
      import('@nats-io/kv'),
      import('@nats-io/obj'),
    ])
    return { transport, jetstream, kv, obj }
  } catch (cause) {
    throw new EngineError('STORE_UNAVAILABLE', 'a workspace in NATS needs its packages', {
      hint: 'npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj',
      cause,
    })
  }
}

async function connected({ transport }: Packages, address: Address): Promise<NatsConnection> {
  const { servers, user, pass, creds, tls, shown } = address
  try {
    return await transport.connect({
      servers: [...servers],
      name: 'steadfold',
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      ...(user === undefined ? {} : pass === undefined ? { token: user } : { user, pass }),
      ...(creds === undefined ? {} : { authenticator: transport.credsAuthenticator(creds) }),
      ...(tls === undefined ? {} : { tls }),
    })
  } catch (error) {
    throw asFailure(error, `cannot open ${shown}`)
  }
}

interface Preparing {
  readonly nats: NatsConnection
  readonly address: Address
  readonly create: boolean
}

async function prepared(
  { transport, jetstream, kv, obj }: Packages,
  { nats, address, create }: Preparing,
): Promise<Connection> {
  const client = jetstream.jetstream(nats)
  const manager = await client.jetstreamManager()
  const [stream, bucket] = [`STEADFOLD_${address.namespace}`, `steadfold_${address.namespace}`]
  const is = await replicasOf(manager, stream)
  if (is === undefined && !create)
    throw new EngineError('WORKSPACE_NOT_FOUND', `there is no stream ${stream} in ${address.shown}`, {
      hint: `steadfold init --dir '${address.shown}'`,
    })
  const replicas = is ?? address.replicas ?? 1
  if (replicas > 1) throw replicated(stream, replicas)
  // L1: nothing is deleted but by who owns the stream.
  if (is === undefined)
    await manager.streams.add({
      name: stream,
      subjects: [`steadfold.${address.namespace}.log.*`],
      storage: 'file',
      num_replicas: replicas,
      discard: 'new',
      deny_delete: true,
      deny_purge: true,
    })
  const keys = await (create ? new kv.Kvm(client).create(bucket, { replicas }) : new kv.Kvm(client).open(bucket))
  const objects = await (create ? new obj.Objm(client).create(bucket, { replicas }) : new obj.Objm(client).open(bucket))
  const most = (nats.info?.max_payload ?? 1024 * 1024) - BESIDES
  const headers = () => transport.headers()
  return { address, nats, client, manager, stream, keys, objects, headers, most }
}

/**
 * Servers of a cluster (seen with 2.9.10, three replicas, four writers, nothing killed) store two messages that expect the
 * same one before them, which would fork a log.
 */
const replicated = (stream: string, replicas: number): EngineError =>
  new EngineError('STORE_UNAVAILABLE', `a stream with ${replicas} replicas is not offered: ${stream}`, {
    hint: 'use replicas=1, or PostgreSQL where one server is not enough',
  })

async function replicasOf(manager: JetStreamManager, stream: string): Promise<number | undefined> {
  try {
    return (await manager.streams.info(stream)).config.num_replicas
  } catch (error) {
    if (isNoStream(error)) return undefined
    throw error
  }
}

function versionOf({ info }: NatsConnection): string[] {
  const { version = 'of no version' } = info ?? {}
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (100 * major + minor < LEAST)
    throw new EngineError('STORE_UNAVAILABLE', `the server is NATS ${version}`, { hint: 'use 2.9 or newer' })
  return 100 * major + minor < LEAST_TO_SYNC
    ? [`NATS ${version} writes to the disk every two minutes, and cannot be told otherwise before 2.10`]
    : []
}

/** Whether it does is in the server's own file, which clients are not shown. */
const ALONE =
  'one server keeps it, so a power cut may take commits that were acknowledged, unless it has jetstream { sync_interval: always }'

/** The time that the servers give to a value that is put. Half of the way there and back is taken off. */
async function clock({ keys }: Connection): Promise<number> {
  const began = Date.now()
  await keys.put('clock', '')
  const ended = Date.now()
  const entry = await keys.get('clock')
  return entry === null ? 0 : Math.round(entry.created.getTime() - (began + ended) / 2)
}

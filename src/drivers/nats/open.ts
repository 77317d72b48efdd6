/* Opens a workspace in NATS JetStream: the packages, the stream and its buckets, what the servers promise, their clock. */
import type { NatsConnection } from '@nats-io/transport-node'
import { EngineError } from '../../kernel/error.ts'
import type { LogFacts } from '../../kernel/log-facts.ts'
import type { Here, Host } from '../../kernel/ports.ts'
import { addressOf, type Address } from './address.ts'
import { patiently, type Connection } from './connection.ts'
import { asFailure, noAnswer } from './failure.ts'
import { NatsLog } from './nats.ts'
import { assertVersion, doubtsOf } from './promises.ts'
import { closingSilent } from './silent.ts'
import { made, replicasOf } from './streams.ts'

export interface Opening {
  readonly url: string
  /** Make the stream and its buckets where they are missing. */
  readonly create: boolean
  readonly sha256: Host['sha256']
  readonly warn: (message: string) => void
  readonly here?: Here | undefined
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

export async function openNats({ url, create, sha256, warn, here }: Opening): Promise<Opened> {
  const address = addressOf(url)
  const packages = await loaded()
  const nats = await connected(packages, address)
  try {
    const { version = 'of no version', cluster } = nats.info ?? {}
    assertVersion(version)
    const ask = <T>(task: () => Promise<T>) => patiently(address, `cannot open ${address.shown}`, task)
    const connection = await ask(() => prepared(packages, { nats, address, create, warn }))
    const { created } = await ask(() => connection.manager.streams.info(connection.stream))
    const { alone } = connection
    const doubts = await doubtsOf({ version, clustered: cluster !== undefined, alone, monitors: address.monitors })
    if (create) for (const doubt of doubts) warn(`${address.shown}: ${doubt}`)
    const log = new NatsLog(connection, sha256, here)
    return {
      log,
      ahead: await ask(() => clock(connection)),
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
    // Each awaited in its place: who bundles a program takes none other for a package that may be missing.
    return {
      transport: await import('@nats-io/transport-node'),
      jetstream: await import('@nats-io/jetstream'),
      kv: await import('@nats-io/kv'),
      obj: await import('@nats-io/obj'),
    }
  } catch (cause) {
    throw new EngineError('STORE_UNAVAILABLE', 'a workspace in NATS needs its packages', {
      hint: 'npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj',
      cause,
    })
  }
}

async function connected({ transport }: Packages, address: Address): Promise<NatsConnection> {
  const { servers, user, pass, creds, nkey, tls, shown } = address
  const stop = closingSilent(servers, CONNECT_MS + 100)
  try {
    const nats = await transport.connect({
      servers: [...servers],
      name: 'steadfold',
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      ...(user === undefined ? {} : pass === undefined ? { token: user } : { user, pass }),
      ...(creds === undefined ? {} : { authenticator: transport.credsAuthenticator(creds) }),
      ...(nkey === undefined ? {} : { authenticator: transport.nkeyAuthenticator(nkey) }),
      ...(tls === undefined ? {} : { tls }),
    })
    void nats.closed().then(stop)
    return nats
  } catch (error) {
    stop()
    throw asFailure(error, `cannot open ${shown}`)
  }
}

interface Preparing {
  readonly nats: NatsConnection
  readonly address: Address
  readonly create: boolean
  readonly warn: (message: string) => void
}

async function prepared(
  { transport, jetstream, kv, obj }: Packages,
  { nats, address, create, warn }: Preparing,
): Promise<Connection> {
  const client = jetstream.jetstream(nats)
  const manager = await client.jetstreamManager()
  const [stream, bucket] = [`STEADFOLD_${address.namespace}`, `steadfold_${address.namespace}`]
  const is = await replicasOf(manager, stream)
  if (is === undefined && !create)
    throw new EngineError('WORKSPACE_NOT_FOUND', `there is no stream ${stream} in ${address.shown}`, {
      hint: `steadfold init --dir '${address.shown}'`,
    })
  const replicas = is ?? (await made(manager, stream, { address, clustered: nats.info?.cluster !== undefined }))
  // Asked of the leader: any other may be behind.
  const allow_direct = false
  const keys = await (create
    ? new kv.Kvm(client).create(bucket, { replicas, allow_direct })
    : new kv.Kvm(client).open(bucket, { allow_direct }))
  const objects = await (create ? new obj.Objm(client).create(bucket, { replicas }) : new obj.Objm(client).open(bucket))
  const most = (nats.info?.max_payload ?? 1024 * 1024) - BESIDES
  const headers = () => transport.headers()
  return { address, nats, client, manager, stream, alone: replicas === 1, warn, keys, objects, headers, most }
}

/** The time that the servers give to a value that is put. Half of the way there and back is taken off. */
async function clock({ keys }: Connection): Promise<number> {
  const began = Date.now()
  const revision = await keys.put('clock', '')
  const ended = Date.now()
  const entry = await keys.get('clock')
  // An older one would be a clock that is long behind.
  if (entry === null || entry.revision < revision) throw noAnswer('the servers do not know yet what they were given')
  return Math.round(entry.created.getTime() - (began + ended) / 2)
}

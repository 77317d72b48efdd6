/** NATS servers of their own for a test file: in a temporary folder, on loopback; gone at the end. */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { remove } from '../remove.ts'
import { freePort } from './port.ts'

const BINARY = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'].find((file) =>
  fs.existsSync(file),
)

export const hasNats = BINARY !== undefined

if (!hasNats)
  process.stderr.write('\nNO NATS HERE: its tests are left out; apt-get install nats-server, or see .ci/run\n\n')

export interface Node {
  readonly name: string
  readonly address: string
  kill(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
}

export interface Servers {
  readonly url: string
  readonly nodes: readonly Node[]
  /** The server that leads a stream; waits for there to be one. */
  leader(stream: string): Promise<Node>
  stop(): Promise<void>
}

/** Where a server listens; `within` is the command that runs it there. */
export interface Seat {
  readonly host: string
  readonly port: number
  readonly routes: number
  readonly within: readonly string[]
}

/** On loopback. `more` goes into the file of each server. */
export async function startNats(count: 1 | 3 = 1, more = ''): Promise<Servers> {
  const ports = await Promise.all(Array.from({ length: 2 * count }, freePort))
  const seats = ports.slice(0, count).map((port, i) => ({
    host: '127.0.0.1',
    port,
    routes: ports[count + i] ?? 0,
    within: [],
  }))
  return startAt(seats, more)
}

export async function startAt(seats: readonly Seat[], more: string): Promise<Servers> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-nats-'))
  const routes = seats.map((seat) => `nats://${seat.host}:${seat.routes}`)
  const nodes = seats.map((seat, i) => {
    const file = path.join(dir, `${i}.conf`)
    const cluster =
      seats.length === 1
        ? ''
        : `cluster { name: test, listen: "${seat.host}:${seat.routes}", routes: ${JSON.stringify(routes)} }`
    fs.writeFileSync(
      file,
      `server_name: n${i}\nlisten: "${seat.host}:${seat.port}"\njetstream { store_dir: "${path.join(dir, String(i))}" }\n${cluster}\n${more}\n`,
    )
    return node(`n${i}`, seat, file)
  })
  await Promise.all(nodes.map((each) => each.start()))
  return {
    url: `nats://${nodes.map(({ address }) => address).join()}`,
    nodes,
    leader: (stream) => leaderOf(stream, nodes),
    stop: async () => {
      await Promise.all(nodes.map((each) => each.kill('SIGKILL')))
      remove(dir)
    },
  }
}

function node(name: string, { host, port, within }: Seat, file: string): Node {
  let child: ChildProcess | undefined
  return {
    name,
    address: `${host}:${port}`,
    kill: async (signal = 'SIGKILL') => {
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      if (child?.kill(signal) === true) await ended
    },
    start: async () => {
      const [command, ...words] = [...within, BINARY ?? '', '-c', file]
      child = spawn(command, words, { stdio: 'ignore' })
      await listens(host, port)
    },
  }
}

async function leaderOf(stream: string, nodes: readonly Node[]): Promise<Node> {
  const nats = await connect({ servers: nodes.map(({ address }) => address) })
  try {
    for (;;) {
      const told = await jetstream(nats)
        .jetstreamManager()
        .then((manager) => manager.streams.info(stream))
        .catch(() => undefined)
      const found = nodes.find(({ name }) => name === told?.cluster?.leader)
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    await nats.close()
  }
}

async function listens(host: string, port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, host, () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`nothing listens at ${host}:${port}`)
}

/** Every store of logs there is. What needs a server starts one, where it is to be had. */
import * as path from 'node:path'
import { makeFolder } from '../../src/drivers/files/durable.ts'
import { FilesLog } from '../../src/drivers/files/files.ts'
import { MemoryLog } from '../../src/drivers/memory/memory.ts'
import { openNats } from '../../src/drivers/nats/open.ts'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { hasNats, startNats } from '../servers/nats.ts'
import { hasPostgres, startPostgres } from '../servers/postgres.ts'
import { sha256, temporaryFolder } from './kit.ts'

export interface Driver {
  readonly name: string
  /** An empty workspace. */
  readonly open: () => Log | Promise<Log>
  /** Starts the server that it needs. */
  readonly server?: () => Promise<{ stop(): Promise<void> }>
}

const warn = (message: string): void => void process.stderr.write(`${message}\n`)

export const drivers: readonly Driver[] = [
  { name: 'memory', open: () => new MemoryLog(sha256) },
  {
    name: 'files',
    open: () => {
      const root = path.join(temporaryFolder(), '.steadfold')
      makeFolder(root)
      return new FilesLog(root, sha256)
    },
  },
  ...(hasPostgres ? [onPostgres()] : []),
  ...(hasNats ? [onNats('nats', 1)] : []),
]

/** The same on three servers, which takes long: for the suite alone, where CI runs it. */
export const clusters: readonly Driver[] = hasNats && process.env['CI'] !== undefined ? [onNats('nats cluster', 3)] : []

function onPostgres(): Driver {
  return onServer('postgres', startPostgres, (url) => openPostgres({ url, create: true, sha256, warn }))
}

function onNats(name: string, count: 1 | 3): Driver {
  const open = (url: string) => openNats({ url, create: true, sha256, warn: () => undefined })
  return onServer(name, () => startNats(count), open)
}

interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** Each store is a namespace of its own, and closed before the server stops: its client would look for it for ever. */
function onServer(
  name: string,
  start: () => Promise<Server>,
  open: (url: string) => Promise<{ readonly log: Log }>,
): Driver {
  let url = ''
  let spaces = 0
  const opened: Log[] = []
  return {
    name,
    server: async () => {
      const server = await start()
      url = server.url
      const stop = async () => {
        for (const log of opened.splice(0)) await log.close()
        await server.stop()
      }
      return { stop }
    },
    open: async () => {
      const { log } = await open(`${url}?namespace=t${++spaces}`)
      opened.push(log)
      return log
    },
  }
}

/** All servers that the drivers need; the answer stops them. */
export async function startServers(): Promise<() => Promise<void>> {
  const servers = await Promise.all(drivers.map(async ({ server }) => server?.()))
  return async () => void (await Promise.all(servers.map(async (each) => each?.stop())))
}

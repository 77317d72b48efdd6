/*
 * One process that serves a workspace on this machine alone.
 *
 *   listen ─► hold the sessions ─► claim the file ─► … ─► end streams ─► give the file back ─► close
 *
 * D4. It listens on 127.0.0.1 and nowhere else.
 * D5. It ends when its file is gone or another's: nobody could find it any more.
 * D6. A daemon that takes over from a dead one keeps its token, so that pages and programs go on.
 */
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { EngineError } from '../../kernel/error.ts'
import { Desk } from './desk.ts'
import { Hub } from './hub.ts'
import { Keys, newToken } from './keys.ts'
import type { Daemon, DaemonOptions, DaemonParts, Mounted } from './parts.ts'
import { claim, findDaemon, giveUp, holds, running, type DaemonRecord } from './record.ts'
import { makeServer } from './server.ts'
import { Streams } from './stream.ts'

const HOST = '127.0.0.1'
const CHECK_MS = 2000
const GRACE_MS = 2000

/** Against those who ask slowly, much, or for ever. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
} as const
const SILENCE_MS = 60_000
const MOST_HEADERS = 100
const MOST_CONNECTIONS = 256
const MOST_REQUESTS = 10_000

/** Throws DAEMON_RUNNING, or PORT_TAKEN. */
export async function startDaemon(parts: DaemonParts, options: DaemonOptions = {}): Promise<Daemon> {
  const before = findDaemon(parts)
  if (before !== undefined && before.verdict.kind !== 'dead') throw running(before)
  const server = http.createServer(LIMITS)
  const port = await listen(server, options.port ?? before?.record.port ?? 0, options.port === undefined)
  const record = recordOf(parts, port, before?.record.token ?? newToken())
  const daemon = await serving(parts, server, record)
  try {
    claim(parts, record)
    return daemon
  } catch (error) {
    await daemon.close()
    throw error
  }
}

async function serving(parts: DaemonParts, server: http.Server, record: DaemonRecord): Promise<Daemon> {
  const { url, port, started_at: startedAt } = record
  const keys = new Keys(record.token, port)
  const desk = new Desk(parts.workspace, parts.warn)
  await desk.open()
  const hub = new Hub(desk)
  const streams = new Streams(hub)
  let mcp: Promise<Mounted> | undefined
  const mounted = () => (mcp ??= parts.mcp(desk))
  const app = makeServer({ parts, port, url, keys, desk, streams, startedAt, mounted })
  const answer = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false })
  server.on('request', (incoming, outgoing) => void answer(incoming, outgoing))
  let told: (reason: string) => void
  const ended = new Promise<string>((resolve) => (told = resolve))
  const close = once(async (reason: string) => {
    clearInterval(watch)
    streams.close()
    hub.close()
    await (await mcp)?.close()
    await closeServer(server)
    await desk.close()
    giveUp(parts.folder, record)
    told(reason)
  })
  const watch = setInterval(() => {
    if (!holds(parts.folder, record)) void close('its file was taken away')
  }, CHECK_MS)
  const link = () => `${url}/#token=${keys.issue(parts.now()).word}`
  return { url, link, ended, close: () => close('it was closed') }
}

function recordOf(parts: DaemonParts, port: number, token: string): DaemonRecord {
  const { version, now, self } = parts
  const started_at = new Date(now()).toISOString()
  return { v: 1, url: `http://${HOST}:${port}`, port, token, version, started_at, process: self() }
}

/** Another port where the one of before is taken, unless it was asked for. */
async function listen(server: http.Server, port: number, mayMove: boolean): Promise<number> {
  server.timeout = SILENCE_MS
  server.maxHeadersCount = MOST_HEADERS
  server.maxConnections = MOST_CONNECTIONS
  server.maxRequestsPerSocket = MOST_REQUESTS
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host: HOST, exclusive: true }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (cause) {
    if (mayMove && port !== 0) return listen(server, 0, false)
    throw portTaken(port, cause)
  }
  // An address of TCP is no text.
  return (server.address() as AddressInfo).port
}

function portTaken(port: number, cause: unknown): EngineError {
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const said = why === 'EADDRINUSE' ? 'another program listens there' : `the system says ${why}`
  return new EngineError('PORT_TAKEN', `cannot listen on port ${port}: ${said}`, {
    hint: 'choose another --port, or leave it out',
    cause,
  })
}

/** Lets answers under way finish, then cuts what is left. */
async function closeServer(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearTimeout(cut)
}

function once(task: (reason: string) => Promise<void>): (reason: string) => Promise<void> {
  let running: Promise<void> | undefined
  return (reason) => (running ??= task(reason))
}

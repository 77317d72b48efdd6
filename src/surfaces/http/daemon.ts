/*
 * One process that serves a workspace on this machine alone.
 *
 *   listen ─► hold the sessions ─► claim the file ─► … ─► end streams ─► give the file back ─► close
 *
 * D5. It ends when its file is gone or another's: nobody could find it any more.
 * D6. A daemon that takes over from a dead one keeps its token, so that pages and programs go on.
 */
import * as http from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Desk } from './desk.ts'
import { Hub } from './hub.ts'
import { Keys, newToken } from './keys.ts'
import { HOST, listen, type Listening } from './listen.ts'
import type { Daemon, DaemonOptions, DaemonParts, Mounted } from './parts.ts'
import { claim, findDaemon, giveUp, isTaken, running, type DaemonRecord } from './record.ts'
import { makeServer } from './server.ts'
import { Streams } from './stream.ts'

const CHECK_MS = 2000

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
const MOST_REQUESTS = 10_000

/** Throws DAEMON_RUNNING, or PORT_TAKEN. */
export async function startDaemon(parts: DaemonParts, options: DaemonOptions = {}): Promise<Daemon> {
  const before = findDaemon(parts)
  if (before !== undefined && before.verdict.kind !== 'dead') throw running(before)
  const server = http.createServer(LIMITS)
  server.timeout = SILENCE_MS
  server.maxHeadersCount = MOST_HEADERS
  server.maxRequestsPerSocket = MOST_REQUESTS
  const listening = await listen(server, options.port ?? before?.record.port ?? 0, options.port === undefined)
  const record = recordOf(parts, listening.port, before?.record.token ?? newToken())
  const daemon = await serving(parts, { server, listening }, record)
  try {
    claim(parts, record)
    return daemon
  } catch (error) {
    await daemon.close()
    throw error
  }
}

interface Served {
  readonly server: http.Server
  readonly listening: Listening
}

async function serving(parts: DaemonParts, { server, listening }: Served, record: DaemonRecord): Promise<Daemon> {
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
    await listening.close()
    await desk.close()
    giveUp(parts.folder, record)
    told(reason)
  })
  const watch = setInterval(() => {
    if (isTaken(parts.folder, record)) void close('its file was taken away')
  }, CHECK_MS)
  const link = () => `${url}/#token=${keys.issue(parts.now()).word}`
  const end = () => close('it was closed')
  return { url, link, ended, close: end, [Symbol.asyncDispose]: end }
}

function recordOf(parts: DaemonParts, port: number, token: string): DaemonRecord {
  const { version, now, self } = parts
  const started_at = new Date(now()).toISOString()
  return { v: 1, url: `http://${HOST}:${port}`, port, token, version, started_at, process: self() }
}

function once(task: (reason: string) => Promise<void>): (reason: string) => Promise<void> {
  let running: Promise<void> | undefined
  return (reason) => (running ??= task(reason))
}

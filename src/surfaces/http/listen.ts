/*
 * Where the daemon listens: 127.0.0.1 and ::1, at the same port, and nowhere else.
 *
 *   127.0.0.1:PORT ──┐
 *                    ├──► one server, with its limits
 *   [::1]:PORT ──────┘
 *
 * D4. Browsers take `localhost` for either address: a port at which another program has one of them is no port for us.
 */
import type * as http from 'node:http'
import * as net from 'node:net'
import { EngineError } from '../../kernel/error.ts'

export const HOST = '127.0.0.1'
const HOST_6 = '::1'
const MOST_CONNECTIONS = 256
const ATTEMPTS = 10
const GRACE_MS = 2000
/** This machine knows no IPv6, or has it turned off. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

export interface Listening {
  readonly port: number
  /** Lets answers under way finish, then cuts what is left. */
  close(): Promise<void>
}

/** Another port where the one of before is taken, unless it was asked for. Throws PORT_TAKEN. */
export async function listen(server: http.Server, wanted: number, mayMove: boolean): Promise<Listening> {
  // What the server does with a connection does not depend on where it came in.
  const other = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
  for (const each of [server, other]) each.maxConnections = MOST_CONNECTIONS
  for (let attempt = 0, port = wanted; ; attempt++, port = 0) {
    const code = (await failureAt(server, HOST, port)) ?? (await failureAtBoth(server, other))
    if (code === undefined) break
    if (server.listening) await closed(server)
    if (attempt === ATTEMPTS || !(mayMove || wanted === 0)) throw portTaken(port, code)
  }
  return { port: portOf(server), close: () => close(server, other) }
}

async function failureAtBoth(server: net.Server, other: net.Server): Promise<string | undefined> {
  const code = await failureAt(other, HOST_6, portOf(server))
  return code === undefined || NO_IPV6.has(code) ? undefined : code
}

/** The code of what the system said; undefined when it listens. */
function failureAt(server: net.Server, host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown')
    server.once('error', failed)
    server.listen({ port, host, exclusive: true, ipv6Only: true }, () => {
      server.off('error', failed)
      resolve(undefined)
    })
  })
}

function portTaken(port: number, code: string): EngineError {
  const said = code === 'EADDRINUSE' ? 'another program listens there' : `the system says ${code}`
  return new EngineError('PORT_TAKEN', `cannot listen on port ${port}: ${said}`, {
    hint: 'choose another --port, or leave it out',
  })
}

/** An address of TCP is no text. */
const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port

const closed = (server: net.Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

async function close(server: http.Server, other: net.Server): Promise<void> {
  const both = Promise.all([server, other].filter(({ listening }) => listening).map(closed))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await both
  clearTimeout(cut)
}

/*
 * A server that takes a connection and says nothing, as a balancer does before servers that are away: the client gives it up
 * and leaves the connection open, and a program that has ended its work would wait on it for ever.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const CREATED = 'net.client.socket'
const DEFAULT_PORT = '4222'

interface Watch {
  readonly ports: ReadonlySet<number>
  readonly ms: number
}

/** Of all that are open: each socket of this process is listened to once, however many they are. */
const watches = new Set<Watch>()

/** Closes each connection to these servers that has said nothing within `ms`; the answer stops it for those to come. */
export function closingSilent(servers: readonly string[], ms: number): () => void {
  const watch = { ports: new Set(servers.map((server) => Number(/:(\d+)$/.exec(server)?.[1] ?? DEFAULT_PORT))), ms }
  if (watches.size === 0) subscribe(CREATED, created)
  watches.add(watch)
  return () => {
    watches.delete(watch)
    if (watches.size === 0) unsubscribe(CREATED, created)
  }
}

function created(message: unknown): void {
  // What this channel of Node tells.
  const { socket } = message as { readonly socket: Socket }
  socket.once('connectionAttempt', (_ip: string, port: number) => {
    const times = [...watches].flatMap(({ ports, ms }) => (ports.has(port) ? [ms] : []))
    if (times.length === 0) return
    // A server speaks first. The connection itself keeps the process alive until then.
    setTimeout(
      () => {
        if (socket.bytesRead === 0) socket.destroy()
      },
      Math.min(...times),
    ).unref()
  })
}

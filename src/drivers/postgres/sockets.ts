/*
 * The sockets of one client, so that they end with it: it closes them half and waits for the server, which may be frozen or cut
 * off, and a program that has ended its work would wait with it.
 */
import * as net from 'node:net'

/** What the client knows of where to go: here always one host, or the path of a Unix socket. */
interface Target {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false | undefined
}

/** What a server is left to answer a goodbye. */
const GRACE_MS = 1000

export class Sockets {
  readonly #open = new Set<net.Socket>()

  /** Under way: what the client writes goes out when it is connected, and it hears of errors itself. */
  readonly connect = ({ path, host: [host = ''], port: [port = 0] }: Target): net.Socket => {
    const socket = path ? net.connect(path) : net.connect(port, host)
    // The client takes away listeners of others, so a socket does not tell here that it is closed.
    for (const each of this.#open) if (each.destroyed) this.#open.delete(each)
    this.#open.add(socket)
    // By it a certificate is checked.
    return Object.assign(socket, { host })
  }

  /** Does not keep the process alive; the sockets themselves do. */
  cut(): void {
    setTimeout(() => {
      for (const socket of this.#open) socket.destroy()
    }, GRACE_MS).unref()
  }
}

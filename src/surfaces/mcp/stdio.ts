/*
 * The protocol on standard input and output, one message a line.
 *
 * O1. Nothing but messages is written to the output.
 * O2. What was asked before the input ended is answered: the pipe `printf … | steadfold mcp` loses nothing.
 * O3. When it is over, its input holds the process no longer, whoever keeps that open.
 */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServer,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { asError } from '../../kernel/error.ts'
import { exactLines } from './exact.ts'
import type { Offer } from './offer.ts'
import { makeServer } from './server.ts'
import { Subscriptions } from './subscriptions.ts'

/** O2, for whoever asks something that takes for ever. */
const PATIENCE_MS = 10_000

export interface Stdio {
  readonly input: Readable
  readonly output: Writable
  readonly warn: (message: string) => void
}

export interface Served {
  /** Settles when the input has ended and all is answered. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export function serveStdio(offer: Offer, stdio: Stdio): Served {
  let server: McpServer | undefined
  const subscriptions = new Subscriptions(
    offer,
    (uri) => void server?.server.sendResourceUpdated({ uri }).catch(ignore),
  )
  const unlist = offer.followList(() => void server?.server.sendResourceListChanged().catch(ignore))
  const transport = new Patient(stdio, subscriptions)
  const handle = serve(
    () => {
      server = makeServer(offer, subscriptions)
      return server
    },
    { transport, onerror: (error) => isGone(error) || stdio.warn(inWords(error)) },
  )
  const ended = transport.ended.finally(() => {
    unlist()
    subscriptions.close()
    stdio.input.destroy()
  })
  return { ended, close: () => handle.close() }
}

/** Between the SDK and its own transport: counts what is open, and sees what a client listens to. */
class Patient implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly ended: Promise<void>
  readonly #inner: StdioServerTransport
  readonly #input: Readable
  readonly #subscriptions: Subscriptions
  readonly #open = new Set<RequestId>()
  #last: Promise<unknown> = Promise.resolve()
  #end: () => void = ignore
  #isOver = false

  constructor({ input, output }: Stdio, subscriptions: Subscriptions) {
    this.#input = input
    this.#subscriptions = subscriptions
    this.#inner = new StdioServerTransport(
      exactLines(input, (no) => void this.#write(no).catch(ignore)),
      output,
    )
    this.ended = new Promise((resolve) => (this.#end = resolve))
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#take(message)
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onclose = () => {
      this.onclose?.()
      this.#end()
    }
    // What came last is on its way through.
    const over = () => void setImmediate(() => this.#over())
    this.#input.once('end', over)
    this.#input.once('close', over)
    await this.#inner.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message)
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#settle(message.id)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** One at a time: of a client that reads slowly each would wait by listeners of its own. */
  #write(message: JSONRPCMessage): Promise<void> {
    const written = this.#last.then(() => this.#inner.send(message))
    this.#last = written.catch(ignore)
    return written
  }

  #take(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      if (message.method === 'subscriptions/listen') this.#listen(message.id, message.params)
      else this.#open.add(message.id)
    }
    this.onmessage?.(message)
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.['requestId']
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#subscriptions.remove(id)
    this.#settle(id)
  }

  #listen(id: RequestId, params: unknown): void {
    this.#subscriptions.add(id, listenedTo(params)).catch((error: unknown) => this.onerror?.(asError(error)))
  }

  #settle(id: RequestId): void {
    this.#open.delete(id)
    if (this.#isOver && this.#open.size === 0) void this.close()
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#open.size === 0) void this.close()
    else setTimeout(() => void this.close(), PATIENCE_MS).unref()
  }
}

/** URIs that a `subscriptions/listen` names. */
export function listenedTo(params: unknown): readonly string[] {
  const { notifications } = (params ?? {}) as { readonly notifications?: { readonly resourceSubscriptions?: unknown } }
  const uris = notifications?.resourceSubscriptions
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

/** Nobody reads any more: the conversation is over, and that is nothing to warn of. */
const isGone = (error: Error): boolean => 'code' in error && error.code === 'EPIPE'
/** What is JSON but no message makes the SDK list all that it might have been. */
const inWords = ({ message }: Error): string =>
  message.includes('\n') ? 'a line of the input is no message of JSON-RPC; it was left out' : message

const ignore = (): void => undefined

/*
 * The protocol over HTTP, behind the guards and the token of the server that it is mounted in.
 *
 *   2026-07-28          each request by itself; changes on the stream of subscriptions/listen
 *   2025-11-25 and before   initialize ─► Mcp-Session-Id ─► requests, and changes on the stream of GET
 *
 * H1. A connection that nobody used for long gives way when there are too many.
 * H2. Of one that was refused when it began nothing stays: nobody can come back to it.
 * H3. What was asked before it ends is answered: nobody could know what was written, nor ask again elsewhere.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import { membersOf } from '../../kernel/json/members.ts'
import type { Offer } from './offer.ts'
import { Recent } from './recent.ts'
import { makeServer } from './server.ts'
import { listenedTo } from './stdio.ts'
import { Subscriptions } from './subscriptions.ts'

const MOST_CONNECTIONS = 64
/** Clients that lost a stream come back after this time. */
const RETRY_MS = 500
/** H3 */
const PATIENCE_MS = 2000

interface Connection {
  readonly transport: NodeStreamableHTTPServerTransport
  readonly end: () => void
}

export class McpHttp {
  readonly #offer: Offer
  readonly #warn: (message: string) => void
  readonly #modern: McpHttpHandler
  readonly #answer: ReturnType<typeof toNodeHandler>
  readonly #unlist: () => void
  readonly #subscriptions: Subscriptions
  /** By Mcp-Session-Id, the one used last at the end. */
  readonly #connections = new Map<string, Connection>()
  readonly #open = new Set<Promise<unknown>>()
  #isEnding = false
  #listens = 0

  constructor(offer: Offer, warn: (message: string) => void) {
    this.#offer = offer
    this.#warn = warn
    const onerror = ({ message }: Error) => warn(`mcp: ${message}`)
    this.#modern = createMcpHandler(() => makeServer(offer), { legacy: 'reject', onerror: () => undefined })
    this.#answer = toNodeHandler(this.#modern, { onerror })
    const tell = (uri: string) => this.#modern.notify.resourceUpdated(uri)
    this.#subscriptions = new Subscriptions(offer, tell, MOST_CONNECTIONS)
    this.#unlist = offer.followList(() => this.#modern.notify.resourcesChanged())
  }

  /** `body` is what was sent, parsed; undefined for GET and DELETE. */
  async answer(incoming: IncomingMessage, outgoing: ServerResponse, body?: unknown): Promise<void> {
    if (this.#isEnding) return sayNo(outgoing, 503, 'the daemon ends')
    if (body !== undefined && membersOf(body)['method'] !== 'subscriptions/listen') this.#keepOpen(outgoing)
    // The types differ in members that may be undefined.
    const request = incoming as NodeIncomingMessageLike
    if (await isLegacyRequest(await toWebRequest(request, body), body)) return this.#legacy(incoming, outgoing, body)
    this.#listen(outgoing, body)
    await this.#answer(request, outgoing, body)
  }

  /** H3 */
  #keepOpen(outgoing: ServerResponse): void {
    if (outgoing.destroyed) return
    const over = new Promise((resolve) => outgoing.once('close', resolve))
    this.#open.add(over)
    void over.finally(() => this.#open.delete(over))
  }

  async close(): Promise<void> {
    this.#isEnding = true
    await Promise.race([Promise.all(this.#open), sleep(PATIENCE_MS, undefined, { ref: false })])
    this.#unlist()
    this.#subscriptions.close()
    for (const { end } of this.#connections.values()) end()
    await this.#modern.close()
  }

  #listen(outgoing: ServerResponse, body: unknown): void {
    const { method, params } = (body ?? {}) as { readonly method?: unknown; readonly params?: unknown }
    if (method !== 'subscriptions/listen') return
    const key = `listen ${this.#listens++}`
    outgoing.once('close', () => this.#subscriptions.remove(key))
    this.#subscriptions.add(key, listenedTo(params)).catch((error: unknown) => this.#warn(`mcp: ${String(error)}`))
  }

  async #legacy(incoming: IncomingMessage, outgoing: ServerResponse, body: unknown): Promise<void> {
    const { 'mcp-session-id': id } = incoming.headers
    if (typeof id !== 'string')
      return isInitializeRequest(body) ? this.#begin(incoming, outgoing, body) : sayNo(outgoing, 400, noBeginning(body))
    const connection = this.#connections.get(id)
    if (connection === undefined) return sayNo(outgoing, 404, 'this session is over: begin with initialize')
    this.#connections.delete(id)
    this.#connections.set(id, connection)
    await connection.transport.handleRequest(incoming, outgoing, body)
  }

  /** H2 */
  async #begin(incoming: IncomingMessage, outgoing: ServerResponse, body: unknown): Promise<void> {
    const transport = await this.#connected()
    try {
      await transport.handleRequest(incoming, outgoing, body)
    } finally {
      if (transport.sessionId === undefined) await transport.close()
    }
  }

  async #connected(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new Recent(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => this.#keep(id, { transport, end }),
    })
    const subscriptions = new Subscriptions(
      this.#offer,
      (uri) => void server.server.sendResourceUpdated({ uri }).catch(ignore),
    )
    const server = makeServer(this.#offer, subscriptions)
    const unlist = this.#offer.followList(() => void server.server.sendResourceListChanged().catch(ignore))
    const end = () => void server.close().catch(ignore)
    server.server.onclose = () => {
      unlist()
      subscriptions.close()
      this.#connections.delete(transport.sessionId ?? '')
    }
    await server.connect(transport)
    return transport
  }

  /** H1 */
  #keep(id: string, connection: Connection): void {
    this.#connections.set(id, connection)
    const [oldest] = this.#connections.values()
    if (this.#connections.size > MOST_CONNECTIONS) oldest?.end()
  }
}

const noBeginning = (body: unknown): string =>
  membersOf(body)['method'] === 'initialize'
    ? 'this is no initialize: its params have a protocolVersion, capabilities, and a clientInfo with name and version'
    : 'there is no Mcp-Session-Id: begin with initialize'

function sayNo(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/json' })
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

const ignore = (): void => undefined

/*
 * A stream to one client.
 *
 * O1. What is sent is kept back while the client is slow: whoever sends waits, so that no client can fill the memory.
 * O2. A client that is silent is told now and then that nothing happened; one that reads nothing for long is cut off.
 * O3. When the client is gone, `gone` tells it, and nothing of it stays.
 */
import type { ServerResponse } from 'node:http'

export type Format = 'sse' | 'ndjson'

export interface Message {
  /** `commit`, `reset`, `heartbeat`, `error`, `result`. */
  readonly type: string
  /** Where to go on behind this message. */
  readonly cursor?: string
  readonly data: Readonly<Record<string, unknown>>
}

const BEAT_MS = 3000
const PIECE = 64 * 1024
const TYPES = { sse: 'text/event-stream; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' } as const

export class Outlet {
  readonly #response: ServerResponse
  readonly #format: Format
  readonly #gone = new AbortController()
  readonly #beat: NodeJS.Timeout
  #pending = ''
  #flushing: NodeJS.Immediate | undefined
  #blocked: Promise<void> | undefined

  constructor(response: ServerResponse, format: Format, now: () => number) {
    this.#response = response
    this.#format = format
    response.writeHead(200, { 'Content-Type': TYPES[format], 'X-Accel-Buffering': 'no' })
    response.flushHeaders()
    response.on('close', () => this.#end())
    response.on('error', () => this.#end())
    if (response.destroyed) this.#end()
    this.#beat = setInterval(() => this.#tell(now()), BEAT_MS)
    this.#beat.unref()
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** O1 */
  async send(message: Message): Promise<void> {
    if (this.gone.aborted) return
    this.#pending += this.#text(message)
    if (this.#pending.length >= PIECE) this.#flush()
    else this.#flushing ??= setImmediate(() => this.#flush())
    // Not awaited while there is room: a promise for each of many commits would be most of the work.
    if (this.#blocked !== undefined) await this.#blocked
  }

  /** A last message, then the end. */
  close(message: Message): void {
    if (this.gone.aborted) return
    // Nothing comes behind it that could fill the memory: what is kept back leaves with it, however slow the client is.
    this.#response.end(this.#pending + this.#text(message))
    this.#end()
  }

  #tell(now: number): void {
    // Who does not read is not told more; the server's own limit of silence ends it (O2).
    if (this.#blocked !== undefined || this.#pending !== '') return
    void this.send({ type: 'heartbeat', data: { at: new Date(now).toISOString() } })
  }

  #flush(): void {
    clearImmediate(this.#flushing)
    this.#flushing = undefined
    if (this.#pending === '' || this.#blocked !== undefined || this.#response.destroyed) return
    const text = this.#pending
    this.#pending = ''
    if (this.#response.write(text)) return
    this.#blocked = new Promise((resolve) => {
      const free = () => {
        this.#response.off('drain', free)
        this.gone.removeEventListener('abort', free)
        this.#blocked = undefined
        this.#flush()
        resolve()
      }
      this.#response.on('drain', free)
      this.gone.addEventListener('abort', free)
    })
  }

  /** JSON has no line breaks of its own. */
  #text({ type, cursor, data }: Message): string {
    if (this.#format === 'ndjson')
      return `${JSON.stringify({ type, ...(cursor === undefined ? {} : { cursor }), ...data })}\n`
    return `${cursor === undefined ? '' : `id: ${cursor}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #end(): void {
    clearInterval(this.#beat)
    clearImmediate(this.#flushing)
    this.#pending = ''
    if (!this.#gone.signal.aborted) this.#gone.abort()
  }
}

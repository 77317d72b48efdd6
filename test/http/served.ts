/** A workspace in a folder, served in this process, and requests byte by byte. */
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { openWorkspace } from '../../src/compose.ts'
import { serve } from '../../src/serve.ts'
import { remove } from '../remove.ts'

export interface Reply {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Asked {
  /** An undefined header is left out, although it would be sent otherwise. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

interface ServedRecord {
  readonly token: string
  readonly port: number
  readonly process: { readonly pid: number }
}

export class Served {
  readonly dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'http-')))
  workspace!: Awaited<ReturnType<typeof openWorkspace>>
  daemon!: Awaited<ReturnType<typeof serve>>

  static async open(): Promise<Served> {
    const served = new Served()
    await served.start()
    return served
  }

  async start(port?: number): Promise<void> {
    this.workspace = await openWorkspace({ dir: this.dir })
    this.daemon = await serve(this.workspace, { port })
  }

  async stop(): Promise<void> {
    await this.daemon.close()
    await this.workspace.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    remove(this.dir)
  }

  get file(): string {
    return path.join(this.dir, '.steadfold', 'daemon.json')
  }

  get record(): ServedRecord {
    return JSON.parse(fs.readFileSync(this.file, 'utf8')) as ServedRecord
  }

  get port(): number {
    return Number(new URL(this.daemon.url).port)
  }

  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Sends the bytes and answers what came back until the other side closed. */
  raw(text: string | Buffer, address = '127.0.0.1'): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.port, address)
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('close', () => resolve(replyOf(Buffer.concat(chunks).toString('utf8'))))
      // A request that is too large is cut while it is still being sent.
      socket.on('error', (error) => (chunks.length === 0 && !('code' in error) ? reject(error) : undefined))
      socket.write(text)
    })
  }

  ask(method: string, target: string, { headers = {}, body }: Asked = {}): Promise<Reply> {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const length =
      body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
    const all = {
      Host: this.host,
      Connection: 'close',
      Authorization: `Bearer ${this.record.token}`,
      ...length,
      ...headers,
    }
    const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    return this.raw(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  }

  /** `data` of an answer that must be a yes. */
  async data<T = unknown>(method: string, target: string, asked: Asked = {}): Promise<T> {
    const reply = await this.ask(method, target, asked)
    if (reply.status >= 300) throw new Error(`${method} ${target}: ${reply.status} ${reply.text}`)
    return (JSON.parse(reply.text) as { readonly data: T }).data
  }

  /** Messages of an NDJSON stream, until the loop is left. */
  async *messages(target: string, headers: Readonly<Record<string, string>> = {}): AsyncGenerator<Message> {
    const leave = new AbortController()
    const answer = await fetch(`${this.daemon.url}${target}`, {
      headers: { Authorization: `Bearer ${this.record.token}`, Accept: 'application/x-ndjson', ...headers },
      signal: leave.signal,
    })
    let text = ''
    try {
      for await (const chunk of answer.body ?? []) {
        text += Buffer.from(chunk).toString('utf8')
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line) as Message
      }
    } finally {
      leave.abort()
    }
  }
}

export interface Message {
  readonly type: string
  readonly cursor?: string
  readonly session?: string
  readonly seq?: number
  readonly op?: string
  /** Of a reset. */
  readonly sessions?: Readonly<Record<string, number>>
}

/** The next message that is no heartbeat; more may be asked for. */
export async function following(messages: AsyncGenerator<Message>): Promise<Message | undefined> {
  for (;;) {
    const { done, value } = await messages.next()
    if (done === true) return undefined
    if (value.type !== 'heartbeat') return value
  }
}

/** Reads on until the reader knows that a session stands at `seq`: by that commit, or by a reset. */
export async function standing(messages: AsyncGenerator<Message>, session: string, seq: number): Promise<void> {
  for (;;) {
    const message = await following(messages)
    if (message === undefined) throw new Error('the stream is over')
    if (
      message.type === 'commit'
        ? message.session === session && message.seq === seq
        : message.sessions?.[session] === seq
    )
      return
  }
}

/** The first `count` messages that are no heartbeats. */
export async function take(messages: AsyncGenerator<Message>, count: number): Promise<readonly Message[]> {
  const found: Message[] = []
  for await (const message of messages) {
    if (message.type !== 'heartbeat') found.push(message)
    if (found.length === count) break
  }
  return found
}

function replyOf(text: string): Reply {
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end < 0 ? text.length : end).split('\r\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(first)?.[1] ?? 0),
    headers: Object.fromEntries(headers),
    text: end < 0 ? '' : text.slice(end + 4),
  }
}

/*
 * Who is told that a log may have grown: an ordered consumer of all subjects of the workspace, without their bytes. It
 * begins anew where it was when the servers come back. Watchers are called every second besides: what counts is where a
 * reader stands.
 */
import type { ConsumerMessages } from '@nats-io/jetstream'
import type { Connection } from './connection.ts'
import { sessionOf } from './subject.ts'

const POLL_MS = 1000
/** A consumer whose server went away is missed after this, and made again elsewhere. */
const EXPIRES_MS = 4000

export class Hints {
  readonly #connection: Connection
  readonly #watchers = new Map<string, Set<() => void>>()
  #messages: Promise<ConsumerMessages | undefined> | undefined
  #listed: Promise<{ stop(): void } | undefined> | undefined
  #poll: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The empty session stands for the list of sessions. */
  watch(session: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(session) ?? new Set()
    this.#watchers.set(session, watchers.add(changed))
    this.#poll ??= setInterval(() => this.#ringAll(), POLL_MS)
    this.#listen(session)
    return () => this.#unwatch(session, changed)
  }

  ring(session: string): void {
    for (const changed of this.#watchers.get(session) ?? []) queueMicrotask(changed)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    this.#watchers.clear()
    const messages = await this.#messages
    messages?.stop()
    const listed = await this.#listed
    listed?.stop()
  }

  #unwatch(session: string, changed: () => void): void {
    const watchers = this.#watchers.get(session)
    watchers?.delete(changed)
    if (watchers?.size === 0) this.#watchers.delete(session)
    if (this.#watchers.size > 0) return
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  #ringAll(): void {
    for (const session of this.#watchers.keys()) {
      this.#listen(session)
      this.ring(session)
    }
  }

  /** What failed is begun anew with the next ring. */
  #listen(session: string): void {
    if (session === '') this.#listed ??= this.#list().catch(() => (this.#listed = undefined))
    else this.#messages ??= this.#consume().catch(() => (this.#messages = undefined))
  }

  async #consume(): Promise<ConsumerMessages | undefined> {
    const { client, stream, address } = this.#connection
    const prefix = `steadfold.${address.namespace}.log.`
    const consumer = await client.consumers.get(stream, { deliver_policy: 'new', headers_only: true })
    const messages = await consumer.consume({
      callback: ({ subject }) => this.ring(sessionOf(subject.slice(prefix.length))),
      expires: EXPIRES_MS,
    })
    if (this.#isClosed) messages.stop()
    void messages.closed().then(() => (this.#messages = undefined))
    return messages
  }

  async #list(): Promise<{ stop(): void } | undefined> {
    const entries = await this.#connection.keys.watch({ key: 'session.*', headers_only: true })
    const reading = async () => {
      for await (const _ of entries) this.ring('')
    }
    void reading()
      .catch(() => undefined)
      .finally(() => (this.#listed = undefined))
    if (this.#isClosed) entries.stop()
    return entries
  }
}

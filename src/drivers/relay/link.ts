/*
 * One connection to a Nostr relay (NIP-01, NIP-42): requests, live subscriptions, publishing with an answer.
 *
 *   REQ ─► EVENT … EOSE     EVENT ─► OK     AUTH ◄─ challenge     CLOSED ◄─ why not
 *
 * What the relay says is not believed: an event is handed on only where the filter asked for it, and is checked there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { matchFilters, type Filter } from 'nostr-tools/filter'
import { WebSocket } from 'ws'
import { isEventLike, parsed, refusedBy, saidIn, unreachable } from './said.ts'

export interface RelayEvent {
  readonly id: string
  readonly pubkey: string
  readonly created_at: number
  readonly kind: number
  readonly tags: readonly (readonly string[])[]
  readonly content: string
  readonly sig: string | null
}

export interface RelaySigner {
  readonly sign: (template: {
    readonly created_at: number
    readonly kind: number
    readonly tags: readonly (readonly string[])[]
    readonly content: string
  }) => RelayEvent
}

export interface LinkOptions {
  readonly signal: AbortSignal
  /** Who answers when the relay wants to know who is there; undefined when nobody does. */
  readonly signer: () => Promise<RelaySigner | undefined>
  /** Milliseconds without any of an answer, after which the relay counts as gone; where nothing is asked, three times as many. */
  readonly patience: number
}

export type PublishAnswer = { readonly ok: boolean; readonly message: string }

const AUTH_KIND = 22_242
const MOST_UNANSWERED = 2
const LAST_WORDS_MS = 1000
const MOST_BYTES = 4 * 1024 * 1024

interface Subscription {
  readonly filters: readonly Filter[]
  readonly onEvent: (event: RelayEvent) => void
  readonly onEnd: (why: string | undefined) => void
}

interface Offer {
  readonly onAnswer: (answer: PublishAnswer) => void
  readonly goesOn: () => void
}

export class RelayLink {
  readonly url: string
  /** Settles when the connection is over, whoever ended it. */
  readonly closed: Promise<void>
  readonly #socket: WebSocket
  readonly #options: LinkOptions
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #offers = new Map<string, Offer>()
  #ids = 0
  #challenge = ''
  #notice = ''
  /** Why the connection is over, as far as that is known. */
  #loss = 'the connection is gone'
  /** Of who we say that we are; undefined where nobody says so. */
  #authenticated: Promise<PublishAnswer | undefined> | undefined

  private constructor(url: string, socket: WebSocket, options: LinkOptions) {
    this.url = url
    this.#socket = socket
    this.#options = options
    const stop = () => socket.terminate()
    options.signal.addEventListener('abort', stop, { once: true })
    this.closed = new Promise((resolve) => {
      socket.once('close', (_code, reason) => {
        options.signal.removeEventListener('abort', stop)
        if (reason.length > 0) this.#lost(`it says: ${saidIn(reason.toString('utf8')) ?? ''}`)
        this.#end()
        resolve()
      })
    })
    socket.on('error', ({ message }) => this.#lost(message))
    socket.once('open', () => this.#beat(options.patience))
    socket.on('message', (data) => this.#hear(Buffer.isBuffer(data) ? data.toString('utf8') : ''))
  }

  static open(url: string, options: LinkOptions): Promise<RelayLink> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { handshakeTimeout: options.patience, maxPayload: MOST_BYTES })
      const link = new RelayLink(url, socket, options)
      socket.once('open', () => resolve(link))
      // Later ones are followed by a close, which is what counts.
      socket.on('error', (cause) => reject(unreachable(url, cause)))
    })
  }

  /** Everything the relay has for a filter, as it comes; rejects when the relay refuses or goes. */
  async request(filter: Filter, onEvent: (event: RelayEvent) => void): Promise<void> {
    await this.#granted(() => this.#asked(filter, onEvent))
  }

  /**
   * From now on; resolves when the relay has begun, so that nothing falls in between, and rejects when it refuses. A
   * relay that ends it later is left: whoever goes on would hear nothing.
   */
  async subscribe(filters: readonly Filter[], onEvent: (event: RelayEvent) => void): Promise<() => void> {
    const id = `live-${++this.#ids}`
    const asked = filters.map((filter) => ({ ...filter, limit: 0 }))
    await this.#granted(() => this.#opened(id, asked, { filters, onEvent }))
    return () => this.#unsubscribe(id)
  }

  async publish(event: RelayEvent): Promise<PublishAnswer> {
    const answer = await this.#offer('EVENT', event)
    if (answer.ok || !answer.message.startsWith('auth-required')) return answer
    return (await this.#authenticate())?.ok === true ? this.#offer('EVENT', event) : answer
  }

  close(): void {
    this.#socket.close()
    setTimeout(() => this.#socket.terminate(), LAST_WORDS_MS).unref()
  }

  /** Asks once more when the relay wants to know who is there. */
  async #granted(ask: () => Promise<string | undefined>): Promise<void> {
    let why = await ask()
    const known = why?.startsWith('auth-required') === true ? await this.#authenticate() : undefined
    if (known?.ok === true) why = await ask()
    if (why === GONE) throw unreachable(this.url, new Error(this.#loss))
    if (why !== undefined) throw refusedBy(this.url, why, known)
  }

  /** Undefined at the end of what is stored, else why the relay does not want to. */
  async #asked(filter: Filter, onEvent: (event: RelayEvent) => void): Promise<string | undefined> {
    const id = `ask-${++this.#ids}`
    const why = await this.#opened(id, [filter], { filters: [filter], onEvent })
    this.#unsubscribe(id)
    return why
  }

  /** Undefined when the relay has given what it had, else why it does not want to. */
  #opened(id: string, asked: readonly Filter[], heard: Omit<Subscription, 'onEnd'>): Promise<string | undefined> {
    let isOpen = false
    let left = asked.reduce((most, filter) => most + PATIENTLY * mostOf(filter), 0)
    return this.#within((goesOn) => {
      const onEvent = (event: RelayEvent) => {
        if (left-- > 0) goesOn()
        heard.onEvent(event)
      }
      return new Promise((resolve) => {
        const onEnd = (why: string | undefined) => {
          if (why !== undefined && isOpen) this.#socket.terminate()
          isOpen = true
          resolve(why)
        }
        this.#subscriptions.set(id, { ...heard, onEvent, onEnd })
        this.#send(['REQ', id, ...asked])
      })
    })
  }

  #unsubscribe(id: string): void {
    if (this.#subscriptions.delete(id)) this.#send(['CLOSE', id])
  }

  async #offer(type: 'EVENT' | 'AUTH', event: RelayEvent): Promise<PublishAnswer> {
    return this.#within((goesOn) => {
      return new Promise((resolve) => {
        this.#offers.set(event.id, { onAnswer: resolve, goesOn })
        this.#send([type, event])
      })
    })
  }

  /** NIP-42; once a connection. */
  #authenticate(): Promise<PublishAnswer | undefined> {
    this.#authenticated ??= this.#options.signer().then(async (signer) => {
      if (signer === undefined) return undefined
      if (this.#challenge === '') return { ok: false, message: 'it gave no challenge' }
      const tags = [
        ['relay', this.url],
        ['challenge', this.#challenge],
      ]
      const created_at = Math.floor(Date.now() / 1000)
      return this.#offer('AUTH', signer.sign({ created_at, kind: AUTH_KIND, tags, content: '' }))
    })
    return this.#authenticated
  }

  /** A host that is gone without a word leaves the connection open; whoever is there answers a ping. */
  #beat(patience: number): void {
    let unanswered = 0
    this.#socket.on('pong', () => (unanswered = 0))
    const timer = setInterval(() => {
      if (unanswered >= MOST_UNANSWERED) this.#socket.terminate()
      else this.#socket.ping()
      unanswered++
    }, patience)
    void this.closed.then(() => clearInterval(timer))
  }

  #send(message: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #hear(data: string): void {
    const [type, first, second, third] = parsed(data)
    if (typeof first !== 'string') return
    if (type === 'EVENT') this.#event(this.#subscriptions.get(first), second)
    else if (type === 'EOSE') this.#subscriptions.get(first)?.onEnd(undefined)
    else if (type === 'CLOSED') this.#subscriptions.get(first)?.onEnd(saidIn(second) ?? 'closed')
    else if (type === 'AUTH') this.#challenge = first
    else if (type === 'NOTICE') this.#notice = `; it says: ${saidIn(first) ?? ''}`
    else if (type === 'OK') this.#answered(first, { ok: second === true, message: saidIn(third) ?? '' })
  }

  /** Offers wait in a line: while one of them is answered the others will be. */
  #answered(id: string, answer: PublishAnswer): void {
    const offer = this.#offers.get(id)
    if (offer === undefined) return
    this.#offers.delete(id)
    offer.onAnswer(answer)
    for (const { goesOn } of this.#offers.values()) goesOn()
  }

  #event(subscription: Subscription | undefined, given: unknown): void {
    // `matchFilters` reads members only; whether it is an event at all is decided where it is taken in.
    const event = given as RelayEvent
    if (subscription !== undefined && isEventLike(given) && matchFilters([...subscription.filters], event as never))
      subscription.onEvent(event)
  }

  #lost(why: string): void {
    this.#loss = `the connection is gone; ${why}`
  }

  #end(): void {
    for (const { onEnd } of this.#subscriptions.values()) onEnd(GONE)
    for (const { onAnswer } of this.#offers.values()) onAnswer({ ok: false, message: GONE })
    this.#subscriptions.clear()
    this.#offers.clear()
  }

  /** Nothing is sent on a connection that is over, so nothing would answer. A part of the answer begins the time anew. */
  async #within<T>(ask: (goesOn: () => void) => Promise<T>): Promise<T> {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      // Why is known when it is over.
      await Promise.race([this.closed, sleep(LAST_WORDS_MS, undefined, { ref: false })])
      throw unreachable(this.url, new Error(this.#loss))
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#socket.terminate()
        reject(unreachable(this.url, new Error(`no answer within ${this.#options.patience} ms${this.#notice}`)))
      }, this.#options.patience)
    })
    try {
      return await Promise.race([ask(() => timer?.refresh()), late])
    } finally {
      clearTimeout(timer)
      timer = undefined
    }
  }
}

/** Said in the place of an answer when the connection has gone: whether the relay has the event is not known. */
export const GONE = 'error: the connection is gone'

/** How many times what was asked for a relay may give before it has to come to an end. */
const PATIENTLY = 2

const mostOf = ({ limit, ids = [] }: Filter): number => limit ?? ids.length

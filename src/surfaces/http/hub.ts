/*
 * The commits of all sessions as one numbered stream, as this daemon met them.
 *
 *   sessions ──► pumps ──► ring of the last entries ──► readers, each at its own pace
 *
 * H1. Order holds inside a session only; the numbers say in which order they were met here.
 * H2. A reader that falls out of the ring, or comes from another daemon, is told where each session stands: so it can read
 *     what it missed from the logs, and goes on without a gap or a repetition.
 * H3. Readers do not hold up each other, nor the pumps.
 * H4. Where another log took the place of one that was followed, all readers are told where each session stands, as by H2.
 * H5. A log that cannot be read is tried again while the session is held. When it cannot be, and when it can be again, readers
 *     are told as by H4; so they are when a session is gone, or is there again that had ended.
 */
import { randomBytes } from 'node:crypto'
import type { Commit } from '../../kernel/log/commit.ts'
import { commitsOf } from '../../kernel/log/commits.ts'
import { follow } from '../../kernel/log/follow.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { Desk } from './desk.ts'

const MOST_ENTRIES = 10_000
const MOST_BYTES = 16 * 1024 * 1024

export interface Entry {
  readonly n: number
  readonly session: string
  readonly commit: Commit
  readonly bytes: number
}

export class Hub {
  readonly #desk: Desk
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #entries: Entry[] = []
  readonly #stop = new AbortController()
  readonly #waiting = new Set<() => void>()
  /** Session -> last commit that was met. */
  readonly #met = new Map<string, number>()
  #bytes = 0
  #last = 0
  /** Session -> ends its pump. */
  readonly #pumps = new Map<string, AbortController>()
  #unlisten: readonly (() => void)[] = []

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Where a reader stands that has seen everything so far. */
  get cursor(): string {
    return this.cursorOf(this.#last)
  }

  /** Up to where each session was met, at `cursor`. */
  get heads(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#met)
  }

  cursorOf = (n: number): string => `${this.#epoch}-${n}`

  /** Begins with what comes from now on. */
  start(): void {
    if (this.#unlisten.length > 0) return
    for (const session of this.#desk.held) this.#pump(session, session.seq)
    this.#unlisten = [
      this.#desk.onHeld((session) => this.#pump(session, this.#met.get(session.id) ?? 0)),
      this.#desk.onLeft((id) => this.#pumps.get(id)?.abort()),
      this.#desk.onListed(() => this.#reset()),
      this.#desk.onTurned((session) => {
        this.#met.set(session.id, session.seq)
        this.#reset()
        this.#pump(session, session.seq)
      }),
    ]
  }

  /** The entries behind a cursor; undefined when they are not all here any more (H2). */
  after(cursor: string): readonly Entry[] | undefined {
    const n = Number(/-(\d{1,15})$/.exec(cursor)?.[1])
    const first = this.#last - this.#entries.length
    if (cursor !== this.cursorOf(n) || n < first || n > this.#last) return undefined
    return this.#entries.slice(n - first)
  }

  /** Settles when there is something new, or `signal` aborts. */
  async grown(cursor: string, signal: AbortSignal): Promise<void> {
    if (cursor !== this.cursor || signal.aborted || this.#stop.signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
  }

  close(): void {
    for (const unlisten of this.#unlisten) unlisten()
    this.#stop.abort()
    for (const wake of this.#waiting) wake()
  }

  /** In place of the one that it had. */
  #pump(session: Session, after: number): void {
    this.#pumps.get(session.id)?.abort()
    const pump = new AbortController()
    this.#pumps.set(session.id, pump)
    this.#met.set(session.id, after)
    void this.#follow(session, after, pump)
  }

  async #follow(held: Session, after: number, pump: AbortController): Promise<void> {
    const { id } = held
    const signal = AbortSignal.any([this.#stop.signal, pump.signal])
    const place = () => this.#desk.placeBehind(held, after)
    const { kernel } = this.#desk
    const isLast = () => this.#pumps.get(id) === pump
    try {
      const following = { id, after, place, replaced: this.#replaced(held), signal }
      for await (const commit of follow(kernel, following)) if (isLast()) this.#add(id, commit)
      if (this.#stop.signal.aborted || !isLast()) return
      // It has left: what it ended with is told, too.
      const rest = { after: this.#met.get(id) ?? after }
      for await (const commit of commitsOf(kernel, id, rest, { position: place })) if (isLast()) this.#add(id, commit)
    } catch {
      // Archived or damaged: who reads that session is told.
    } finally {
      if (isLast()) this.#pumps.delete(id)
    }
  }

  #replaced(held: Session): () => Promise<Position | undefined> {
    let { lives } = held
    return async () => {
      await held.refresh().catch(ignore)
      if (held.lives === lives) return undefined
      lives = held.lives
      const { id, position } = held
      this.#met.set(id, position.seq)
      this.#reset()
      return position
    }
  }

  /** H4 */
  #reset(): void {
    this.#entries.length = 0
    this.#bytes = 0
    this.#last++
    for (const id of this.#met.keys()) if (!this.#desk.has(id)) this.#met.delete(id)
    for (const wake of this.#waiting) wake()
  }

  #add(session: string, commit: Commit): void {
    this.#met.set(session, commit.seq)
    const bytes = JSON.stringify(commit.events).length
    this.#entries.push({ n: ++this.#last, session, commit, bytes })
    this.#bytes += bytes
    while (this.#entries.length > MOST_ENTRIES || (this.#bytes > MOST_BYTES && this.#entries.length > 1))
      this.#bytes -= this.#entries.shift()?.bytes ?? 0
    for (const wake of this.#waiting) wake()
  }
}

const ignore = (): undefined => undefined

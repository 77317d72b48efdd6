/*
 * Who is told that a log may have grown, and when.
 *
 *   append ──► NOTIFY, after the commit, many in one ──► LISTEN ──► watchers read from where they stand
 *
 * N1. A message is a hint: what counts is where a reader stands. Watched sessions are looked at every second besides, which
 *     shows those that were put away, too, and all of them when the connection was lost meanwhile.
 * N2. Messages are sent behind the commits, not in them: with a message in it, a commit would wait for all others.
 */
import type { Database } from './database.ts'

const GATHER_MS = 5
const POLL_MS = 1000
/** Where a session ends that is in the list no more. */
const GONE = -1

const TELL = `select set_config('synchronous_commit', 'off', true), pg_notify($1, session) from unnest($2::text[]) as session`
const ENDS = `select session, seq from steadfold.sessions where namespace = $1 and session = any($2::text[])
union all select '', count(*) from steadfold.sessions where namespace = $1 and '' = any($2::text[])`

export class Hints {
  readonly #database: Database
  readonly #channel: string
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #ends = new Map<string, number>()
  readonly #pending = new Set<string>()
  #sending: Promise<void> = Promise.resolve()
  #gather: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #isListening = false

  constructor(database: Database) {
    this.#database = database
    this.#channel = `steadfold_${database.address.namespace}`
  }

  /** The session has grown; the empty one stands for the list of sessions. */
  tell(session: string): void {
    this.#ring(session)
    this.#pending.add(session)
    this.#gather ??= setTimeout(() => this.#send(), GATHER_MS).unref()
  }

  watch(session: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(session) ?? new Set()
    this.#watchers.set(session, watchers.add(changed))
    this.#poll ??= setInterval(() => void this.#look(), POLL_MS)
    this.#listen()
    return () => this.#unwatch(session, changed)
  }

  async close(): Promise<void> {
    clearInterval(this.#poll)
    this.#watchers.clear()
    this.#send()
    await this.#sending
  }

  #unwatch(session: string, changed: () => void): void {
    const watchers = this.#watchers.get(session)
    watchers?.delete(changed)
    if (watchers?.size === 0) {
      this.#watchers.delete(session)
      this.#ends.delete(session)
    }
    if (this.#watchers.size > 0) return
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    const all = () => [...this.#watchers.keys()].forEach((session) => this.#ring(session))
    this.#database
      .listen(this.#channel, (session) => this.#ring(session), all)
      .catch(() => {
        // The look every second remains; the next watcher tries again.
        this.#isListening = false
      })
  }

  #ring(session: string): void {
    for (const changed of this.#watchers.get(session) ?? []) queueMicrotask(changed)
  }

  #send(): void {
    clearTimeout(this.#gather)
    this.#gather = undefined
    if (this.#pending.size === 0) return
    const sessions = listOf(this.#pending)
    this.#pending.clear()
    // N1: one that is lost is found by looking.
    const sent = this.#database.once(TELL, [this.#channel, sessions]).then(nothing, nothing)
    this.#sending = this.#sending.then(() => sent)
  }

  async #look(): Promise<void> {
    const sessions = [...this.#watchers.keys()]
    const rows = await this.#database
      .once(ENDS, [this.#database.address.namespace, listOf(sessions)])
      .catch(() => undefined)
    if (rows === undefined) return
    const ends = new Map(rows.map((row) => [String(row['session']), Number(row['seq'])]))
    for (const session of sessions) {
      const end = ends.get(session) ?? GONE
      if (this.#ends.get(session) !== end) this.#ring(session)
      this.#ends.set(session, end)
    }
  }
}

const nothing = (): void => undefined

/** Ids of sessions need no quoting but the empty one. */
const listOf = (sessions: Iterable<string>): string => `{${[...sessions].map((each) => each || '""').join()}}`

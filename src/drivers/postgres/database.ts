/*
 * Statements to a server that may go away and come back.
 *
 * D1. A statement that may be repeated is, with growing pauses, until it is answered or the patience is over (patience.ts).
 * D2. One that may not be repeated blindly fails at once; whoever sent it finds out what became of it.
 * D3. A connection that says nothing for longer than a statement may take is given up, with all others.
 * D4. Of several hosts the client knows one at a time. After a failure each is asked whether it takes writes, before the
 *     next statement: the client alone would go round without a pause, and say nothing when none is there.
 * D5. What is closed keeps no process alive, though the server be frozen or cut off (sockets.ts).
 */
import type postgres from 'postgres'
import { closed } from '../../kernel/error.ts'
import { pause } from '../../kernel/log/pause.ts'
import type { Address } from './address.ts'
import { asFailure, isPassing } from './failure.ts'
import type { Host } from './hosts.ts'
import { Sockets } from './sockets.ts'

export type Client = typeof postgres
export type Row = Readonly<Record<string, unknown>>
export type Value = string | number | Uint8Array | null

/** Within a transaction. */
export type Run = (text: string, values?: readonly Value[]) => Promise<readonly Row[]>

const CONNECT_S = 5
const LATE_MS = 2000

export class Database {
  readonly address: Address
  readonly #client: Client
  readonly #heard: Listener[] = []
  #host: Host
  #sql: postgres.Sql
  /** D4: whether the host is the one, as far as it is known. */
  #isFound: boolean
  #finding: Promise<void> | undefined
  #closed = false
  readonly #sockets = new WeakMap<postgres.Sql, Sockets>()

  constructor(client: Client, address: Address) {
    this.#client = client
    this.address = address
    this.#host = address.hosts[0] ?? { host: '', url: '' }
    this.#isFound = address.hosts.length === 1
    this.#sql = this.#open(this.#host, address.most)
  }

  /** D2 */
  async once(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    if (this.#closed) throw closed('the workspace')
    if (!this.#isFound) await (this.#finding ??= this.#find().finally(() => (this.#finding = undefined)))
    const sql = this.#sql
    // The list is read only; the client's type does not say so.
    const ask = () => sql.unsafe<Row[]>(text, values as Value[], { prepare: true })
    const late = this.address.timeout + LATE_MS
    try {
      return await this.address.patience.tried(() => within(ask(), late, () => this.#giveUp(sql)))
    } catch (error) {
      if (isPassing(error) && this.#sql === sql) this.#isFound = this.address.hosts.length === 1
      throw error
    }
  }

  /** D1 */
  async query(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.patiently('cannot ask the database', () => this.once(text, values))
  }

  /** Tries again while the failure passes. */
  async patiently<T>(doing: string, task: () => Promise<T>, passes = isPassing): Promise<T> {
    const began = Date.now()
    for (let attempt = 0; ; attempt++) {
      try {
        return await task()
      } catch (error) {
        if (!passes(error) || this.#closed || !this.address.patience.lasts(began, error)) throw asFailure(error, doing)
        await new Promise((resolve) => setTimeout(resolve, pause(attempt, Math.random())))
      }
    }
  }

  /** Several statements in one transaction: all of them, or none. */
  async together(task: (run: Run) => Promise<void>): Promise<void> {
    const all = this.#sql
    await all.begin((sql) =>
      task((text, values = []) => {
        const answer = sql.unsafe<Row[]>(text, values as Value[])
        return within(answer, this.address.timeout + LATE_MS, () => this.#giveUp(all))
      }),
    )
  }

  /** Calls back for each message, and whenever messages may have been missed. */
  async listen(channel: string, heard: (payload: string) => void, missed: () => void): Promise<void> {
    this.#heard.push({ channel, heard, missed })
    await this.#sql.listen(channel, heard, missed)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#end(this.#sql, CONNECT_S)
  }

  /** D3 */
  #giveUp(sql: postgres.Sql): void {
    if (this.#sql === sql) this.#goTo(this.#host)
  }

  #goTo(host: Host): void {
    const old = this.#sql
    this.#host = host
    this.#sql = this.#open(host, this.address.most)
    // Where it cannot be heard, watchers look every second.
    for (const { channel, heard, missed } of this.#heard)
      this.#sql.listen(channel, heard, missed).catch(() => undefined)
    void this.#end(old, 0).catch(() => undefined)
  }

  /** D4: the last one first. */
  async #find(): Promise<void> {
    const { hosts } = this.address
    let failure: unknown
    for (const host of [this.#host, ...hosts.filter((each) => each !== this.#host)]) {
      const sql = this.#open(host, 1)
      try {
        await within(sql`select 1`, 2 * CONNECT_S * 1000, () => undefined)
        if (host !== this.#host) this.#goTo(host)
        this.#isFound = true
        return
      } catch (error) {
        // That one is away is not why nobody gets in.
        if (failure === undefined || isPassing(failure)) failure = error
      } finally {
        void this.#end(sql, 0).catch(() => undefined)
      }
    }
    throw failure
  }

  #open({ url }: Host, most: number): postgres.Sql {
    const { database, timeout, tls, attrs } = this.address
    const sockets = new Sockets()
    const sql = this.#client(url, {
      max: most,
      ...(database === '' ? {} : { database }),
      ssl: tls,
      connect_timeout: CONNECT_S,
      // The server's own tables of types are not needed.
      fetch_types: false,
      keep_alive: 10,
      backoff: (attempt: number) => pause(attempt, Math.random()) / 1000,
      ...(attrs === undefined ? {} : { target_session_attrs: attrs }),
      onnotice: () => undefined,
      types: { count: { to: 20, from: [20], parse: Number, serialize: String } },
      connection: {
        application_name: 'steadfold',
        statement_timeout: timeout,
        idle_in_transaction_session_timeout: timeout,
        lock_timeout: timeout,
      },
      ...connectedBy(sockets),
    })
    this.#sockets.set(sql, sockets)
    return sql
  }

  async #end(sql: postgres.Sql, seconds: number): Promise<void> {
    try {
      await sql.end({ timeout: seconds })
    } finally {
      this.#sockets.get(sql)?.cut()
    }
  }
}

/** The client's types do not name this option. */
const connectedBy = ({ connect }: Sockets): object => ({ socket: connect })

/** In a namespace, which is the first value. */
export type Ask = (text: string, ...values: readonly Value[]) => Promise<readonly Row[]>

export const asking =
  (database: Database): Ask =>
  (text, ...values) =>
    database.query(text, [database.address.namespace, ...values])

/** In one transaction: it is not tried again, since what it read may not come twice. */
export const askingOnce = (database: Database, doing: string, task: (ask: Ask) => Promise<void>): Promise<void> => {
  const namespaced = (run: Run) => task((text, ...values) => run(text, [database.address.namespace, ...values]))
  return database.patiently(
    doing,
    () => database.together(namespaced),
    () => false,
  )
}

interface Listener {
  readonly channel: string
  readonly heard: (payload: string) => void
  readonly missed: () => void
}

async function within<T>(answer: PromiseLike<T>, ms: number, late: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late()
      reject(Object.assign(new Error(`no answer for ${ms} ms`), { code: 'STATEMENT_LOST' }))
    }, ms)
  })
  try {
    return await Promise.race([answer, over])
  } finally {
    clearTimeout(timer)
  }
}

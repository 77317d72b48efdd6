/*
 * Statements to a server that may go away and come back.
 *
 * D1. A statement that may be repeated is, with growing pauses, until it is answered or the patience is over.
 * D2. One that may not be repeated blindly fails at once; whoever sent it finds out what became of it.
 * D3. A connection that says nothing for longer than a statement may take is given up, with all others.
 */
import type postgres from 'postgres'
import { EngineError } from '../../kernel/error.ts'
import type { Address } from './address.ts'
import { asFailure, isPassing } from './failure.ts'

export type Client = typeof postgres
export type Row = Readonly<Record<string, unknown>>
export type Value = string | number | Uint8Array | null

const CONNECT_S = 5
const LATE_MS = 2000
const LONGEST_PAUSE_MS = 1000

export class Database {
  readonly address: Address
  readonly #client: Client
  #sql: postgres.Sql
  #closed = false

  constructor(client: Client, address: Address) {
    this.#client = client
    this.address = address
    this.#sql = this.#open()
  }

  /** D2 */
  async once(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    if (this.#closed) throw new EngineError('CLOSED', 'the workspace is closed')
    const sql = this.#sql
    // The list is read only; the client's type does not say so.
    const answer = sql.unsafe<Row[]>(text, values as Value[], { prepare: true })
    return within(answer, this.address.timeout + LATE_MS, () => this.#giveUp(sql))
  }

  /** D1 */
  async query(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.patiently('cannot ask the database', () => this.once(text, values))
  }

  /** Tries again while the failure passes. */
  async patiently<T>(doing: string, task: () => Promise<T>): Promise<T> {
    const until = Date.now() + this.address.patience
    for (let attempt = 0; ; attempt++) {
      try {
        return await task()
      } catch (error) {
        if (!isPassing(error) || this.#closed || Date.now() >= until) throw asFailure(error, doing)
        await new Promise((resolve) => setTimeout(resolve, pause(attempt, Math.random())))
      }
    }
  }

  /** Several statements in one transaction. */
  async together<T>(task: (run: (text: string, values?: readonly Value[]) => Promise<readonly Row[]>) => Promise<T>) {
    let answer: { readonly value: T } | undefined
    await this.#sql.begin(async (sql) => {
      answer = { value: await task((text, values = []) => sql.unsafe<Row[]>(text, values as Value[])) }
    })
    return answer?.value
  }

  /** Calls back for each message, and whenever messages may have been missed. */
  async listen(channel: string, heard: (payload: string) => void, missed: () => void): Promise<void> {
    await this.#sql.listen(channel, heard, missed)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#sql.end({ timeout: CONNECT_S })
  }

  /** D3 */
  #giveUp(sql: postgres.Sql): void {
    if (this.#sql !== sql) return
    this.#sql = this.#open()
    void sql.end({ timeout: 0 }).catch(() => undefined)
  }

  #open(): postgres.Sql {
    const { url, most, timeout, tls } = this.address
    return this.#client(url, {
      max: most,
      ssl: tls,
      connect_timeout: CONNECT_S,
      // The server's own tables of types are not needed.
      fetch_types: false,
      keep_alive: 10,
      backoff: (attempt: number) => pause(attempt, Math.random()) / 1000,
      target_session_attrs: attrs(url),
      onnotice: () => undefined,
      types: { count: { to: 20, from: [20], parse: Number, serialize: String } },
      connection: {
        application_name: 'steadfold',
        statement_timeout: timeout,
        idle_in_transaction_session_timeout: timeout,
        lock_timeout: timeout,
      },
    })
  }
}

/** Writes go to the server that takes them, unless the address says otherwise. */
function attrs(url: string) {
  const asked = new URLSearchParams(url.split('?')[1] ?? '').get('target_session_attrs')
  const known = ['read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
  return known.find((each) => each === asked) ?? 'read-write'
}

/** Half to whole of 20 ms, doubling to a second. */
export const pause = (attempt: number, random: number): number =>
  Math.min(20 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) * (0.5 + random / 2)

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

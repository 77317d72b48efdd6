/*
 * Logs in PostgreSQL: a row for each commit, and one for the end of each session.
 *
 *   append ──► one statement: move the end from (seq, hash) to (seq, hash), and only then the lines ──► committed
 *
 * R1. The end and the lines move in one transaction (L4). It moves only from where the writer believes it is, so a stale
 *     writer, or one that was believed dead, changes nothing.
 * R2. Who waits for a row that another transaction holds reads its end anew, so that commit n + 1 is never visible before
 *     commit n: a reader that stands behind n skips nothing.
 * R3. When the server goes away while it commits, the same lines are sent again. Were they there already, that is the
 *     answer; only when it stays away is the outcome unknown.
 */
import { EngineError } from '../../kernel/error.ts'
import type { LogFacts } from '../../kernel/log-facts.ts'
import { START } from '../../kernel/log/chain.ts'
import { pause } from '../../kernel/log/pause.ts'
import { logReplaced } from '../../kernel/log/replaced.ts'
import { notFound } from '../../kernel/names.ts'
import type { Appended, Attic, Chunk, Here, Host, Lines, Log, Position } from '../../kernel/ports.ts'
import { checkedId } from '../../kernel/text/session-id.ts'
import { BEGIN } from './begin.ts'
import { asking, type Database, type Row, type Value } from './database.ts'
import { asFailure, isPassing, isUndone, unsure } from './failure.ts'
import { Hints } from './hints.ts'
import { blobs, checkpoints, names } from './stores.ts'

const NOTHING = Buffer.alloc(0)
const PAGE = 1024 * 1024
const LIST = 1000
const TAIL = 67

const APPEND = `with moved as (
  update steadfold.sessions set seq = $5, hash = $6, segment = $7, ends = $8, updated_at = now()
  where namespace = $1 and session = $2 and seq = $3 and hash = $4 returning seq
), lines as (
  select n, upto, lag(upto, 1, 0) over (order by n) as below from unnest($10::int[]) with ordinality as t (upto, n)
), written as (
  insert into steadfold.commits (namespace, session, seq, segment, starts, line)
  select $1, $2, $3::bigint + n, $11, $12::bigint + below, substring($9::bytea from below + 1 for upto - below)
  from moved, lines returning seq
)
select (select count(*) from written) as written,
  exists (select from steadfold.sessions where namespace = $1 and session = $2) as there`

const BEHIND = `select s.seq, s.hash, s.segment, s.ends, p.* from steadfold.sessions s left join lateral (
  select string_agg(c.line, ''::bytea order by c.seq) as bytes, min(c.starts) as starts, max(c.seq) as last
  from steadfold.commits c where s.seq > $3 and c.namespace = $1 and c.session = $2 and c.seq > $3
    and c.segment = $4 and c.starts < $5
) p on true where s.namespace = $1 and s.session = $2`

const STANDS = `select s.seq, c.segment, c.starts + length(c.line) as ends,
  convert_from(substring(c.line from length(c.line) - ${TAIL - 1}), 'UTF8') as tail
from steadfold.sessions s left join steadfold.commits c
  on c.namespace = s.namespace and c.session = s.session and c.seq = $3
where s.namespace = $1 and s.session = $2`

export class PostgresLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: true }
  readonly checkpoints
  readonly blobs
  readonly names
  readonly #database: Database
  readonly #hints: Hints
  readonly #sha256: Host['sha256']
  readonly #here: Here | undefined

  constructor(database: Database, sha256: Host['sha256'], here?: Here) {
    this.#database = database
    this.#sha256 = sha256
    this.#here = here
    this.#hints = new Hints(database)
    this.checkpoints = checkpoints(database)
    this.blobs = blobs(asking(database), sha256)
    this.names = names(database)
  }

  async create(session: string): Promise<void> {
    const made = await this.#ask(BEGIN, checkedId(session))
    if (made.length > 0) this.#hints.tell('')
  }

  async append(session: string, batch: Lines, after: Position): Promise<Appended> {
    const last = batch.lines.at(-1)
    if (last === undefined) return { kind: 'conflict' }
    const { seq, hash } = last
    const offset = after.offset + batch.bytes.length
    const position = last.seal
      ? { ...last, segment: seq + 1, offset: 0 }
      : { seq, hash, segment: after.segment, offset }
    const won = await this.#write(session, batch, after, position)
    if (!won) return { kind: 'conflict' }
    this.#hints.tell(session)
    return { kind: 'appended', position, durable: undefined }
  }

  /** R3 */
  async #write(session: string, { lines, bytes }: Lines, after: Position, position: Position): Promise<boolean> {
    const { namespace, patience } = this.#database.address
    const { seq, hash, segment, offset } = position
    const ends = `{${lines.map(({ end }) => end).join()}}`
    const from: readonly Value[] = [namespace, session, after.seq, after.hash]
    const values = [...from, seq, hash, segment, offset, bytes, ends, after.segment, after.offset]
    const began = Date.now()
    for (let attempt = 0, doubt = false; ; attempt++) {
      try {
        const [answer] = await this.#database.once(APPEND, values)
        if (answer?.['there'] !== true) throw notFound(session)
        if (Number(answer['written']) > 0) return true
        return doubt && (await this.stands(session, position)) === 'yes'
      } catch (error) {
        doubt ||= isPassing(error) && !isUndone(error)
        if (isPassing(error) && patience.lasts(began, error)) await sleep(pause(attempt, Math.random()))
        else throw doubt ? unsure(session, error) : asFailure(error, 'cannot append')
      }
    }
  }

  async *read(session: string, after: Position): AsyncGenerator<Chunk> {
    for (let { seq, offset } = after; ;) {
      const row = await this.#behind(session, { seq, offset, segment: after.segment }, PAGE)
      const { bytes, starts } = row
      if (!(bytes instanceof Uint8Array)) return assertEnd(session, row, seq)
      yield { bytes: Buffer.from(bytes), segment: after.segment, offset: Number(starts) }
      seq = Number(row['last'])
      offset = Number(starts) + bytes.length
    }
  }

  async peek(session: string, after: Position): Promise<Buffer | undefined> {
    const { bytes, ...end } = await this.#behind(session, after, PAGE)
    const seq = Number(end['seq'])
    if (seq < after.seq || (seq === after.seq && end['hash'] !== after.hash)) throw logReplaced(session)
    if (seq === after.seq) return NOTHING
    const isWhole = bytes instanceof Uint8Array && Number(end['segment']) === after.segment
    return isWhole && after.offset + bytes.length === Number(end['ends']) ? Buffer.from(bytes) : undefined
  }

  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    const { seq, hash, segment, offset } = position
    if (seq === START.seq) return 'yes'
    const [row] = await this.#ask(STANDS, session, [seq])
    if (row === undefined) throw notFound(session)
    if (Number(row['seq']) < seq) return 'short'
    const isThere =
      offset === 0 ? segment === seq + 1 : Number(row['segment']) === segment && Number(row['ends']) === offset
    return isThere && row['tail'] === `${hash}"}\n` ? 'yes' : 'no'
  }

  async sync(): Promise<void> {
    // What can be read was committed, and its sync done, before it could be read.
  }

  async exists(session: string): Promise<boolean> {
    const found = await this.#ask('select from steadfold.sessions where namespace = $1 and session = $2', session)
    return found.length > 0
  }

  async *list(): AsyncGenerator<string> {
    const text = `select session from steadfold.sessions where namespace = $1 and session > $2 order by session limit ${LIST}`
    for (let last = ''; ;) {
      const rows = await this.#ask(text, last)
      for (const row of rows) yield (last = String(row['session']))
      if (rows.length < LIST) return
    }
  }

  watch(session: string, changed: () => void): () => void {
    return this.#hints.watch(session, changed)
  }

  watchSessions(changed: () => void): () => void {
    return this.#hints.watch('', changed)
  }

  /** What the tables tell of a session without reading its log. */
  async facts(session: string): Promise<LogFacts> {
    const text = `select segment, sum(length(line)) as bytes from steadfold.commits
where namespace = $1 and session = $2 group by segment order by segment`
    const rows = await this.#ask(text, session)
    const segments = rows.map((row) => {
      const first = Number(row['segment'])
      return { name: `commits from ${first}`, first, bytes: Number(row['bytes']) }
    })
    return { segments }
  }

  hurry(): void {
    this.#database.address.patience.hurry()
  }

  async turn() {
    // Writers of one session wait for its row; who loses a race decides again.
    return { release: () => undefined }
  }

  async archive(session: string): Promise<string> {
    const { archiveSession } = await import('./archive.ts')
    const name = await archiveSession(this.#database, session)
    this.#hints.tell('')
    return `${this.#database.address.shown} archived/${name}`
  }

  async attic(): Promise<Attic> {
    const { tableAttic } = await import('./attic.ts')
    return tableAttic({ database: this.#database, sha256: this.#sha256, here: this.#here })
  }

  async close(): Promise<void> {
    await this.#hints.close()
    await this.#database.close()
  }

  async #behind(session: string, after: Omit<Position, 'hash'>, most: number): Promise<Row> {
    const [row] = await this.#ask(BEHIND, session, [after.seq, after.segment, after.offset + most])
    if (row === undefined) throw notFound(session)
    return row
  }

  #ask(text: string, session: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#database.query(text, [this.#database.address.namespace, session, ...values])
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The end of a session tells of lines that somebody took away. */
function assertEnd(session: string, row: Row, seq: number): void {
  if (Number(row['seq']) <= seq) return
  throw new EngineError('LOG_CORRUPT', `session ${session}: rows of commits behind ${seq} are missing`, {
    hint: 'bring the table steadfold.commits back from a backup',
    details: { session, seq: seq + 1 },
  })
}

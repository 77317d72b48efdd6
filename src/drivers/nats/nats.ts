/*
 * Logs in NATS JetStream: a subject for each session, a message for each append.
 *
 *   append ──► publish, if the subject's last message is the one expected ──► stored ──► acknowledged
 *
 * J1. A message holds whole lines, so it is there or not (L4). What does not fit into one is several; others may come
 *     between them, and the answer says how far it came.
 * J2. A message is stored only behind the one its writer stands behind: a stale writer, or one that was believed dead,
 *     stores nothing. Servers of a cluster do not always keep to it: see J4 in subject.ts.
 * J3. When no answer comes, it is looked who was first behind that one; while nobody was, the same message is sent again
 *     under the same id, which the stream stores once. Only when the servers stay away is the outcome unknown.
 */
import type { LogFacts } from '../../kernel/log-facts.ts'
import { pause } from '../../kernel/log/pause.ts'
import { logReplaced } from '../../kernel/log/replaced.ts'
import { notFound } from '../../kernel/names.ts'
import type { Appended, Attic, Chunk, Here, Host, Lines, Log, Position } from '../../kernel/ports.ts'
import { checkedId } from '../../kernel/text/session-id.ts'
import { patiently, sleep, type Connection } from './connection.ts'
import { behind, closed } from './failure.ts'
import { Hints } from './hints.ts'
import { piecesOf } from './pieces.ts'
import { publish } from './publish.ts'
import { letAnotherLead, walk, type Step } from './run.ts'
import { blobs, checkpoints, names } from './stores.ts'
import { BEGINNING, counts, endsIn, isClosing, listKey, past, prevOf, Subject, sessionOf } from './subject.ts'
import type { Message, Place } from './subject.ts'

const NOTHING = Buffer.alloc(0)
/** For a new leader to know the log: three seconds. */
const LOOKS = 8

export class NatsLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: true }
  readonly checkpoints
  readonly blobs
  readonly names
  readonly #connection: Connection
  readonly #hints: Hints
  readonly #known = new Set<string>()
  /** Where each log stood when this process met it last. */
  readonly #met = new Map<string, Place>()
  /** Those whose end is a message that closes them (J6). */
  readonly #closed = new Set<string>()
  readonly #sha256: Host['sha256']
  readonly #here: Here | undefined
  #attic: Promise<Attic> | undefined

  constructor(connection: Connection, sha256: Host['sha256'], here?: Here) {
    this.#connection = connection
    this.#sha256 = sha256
    this.#here = here
    this.#hints = new Hints(connection)
    this.checkpoints = checkpoints(connection)
    this.blobs = blobs(connection, sha256)
    this.names = names(connection, sha256)
  }

  async create(session: string): Promise<void> {
    const entry = await this.#listed(checkedId(session))
    if (entry?.operation === 'PUT') return
    // It was here, and is archived.
    if (entry !== null) await (await import('./archive.ts')).readyFor(this.#connection, session)
    await this.#ask(() => this.#connection.keys.put(listKey(session), ''))
    this.#known.add(session)
  }

  async append(session: string, batch: Lines, after: Position): Promise<Appended> {
    await this.#assertThere(session)
    const appended = await this.#append(session, batch, after)
    if (appended.kind === 'conflict' && this.#closed.has(session)) throw closed(session)
    return appended
  }

  async #append(session: string, batch: Lines, after: Position): Promise<Appended> {
    const from = await this.#before(session, after)
    let position: Position | undefined
    let { stream } = from
    if (from.seq !== after.seq) return { kind: 'conflict' }
    for (const piece of piecesOf(batch, after, this.#connection.most)) {
      const stored = await publish(this.#connection, this.#subject(session), piece, stream)
      if (stored === undefined) break
      stream = stored
      position = piece.end
      this.#meet(session, { seq: position.seq, hash: position.hash, stream })
    }
    if (position === undefined) return { kind: 'conflict' }
    this.#hints.ring(session)
    return { kind: 'appended', position, durable: undefined }
  }

  async *read(session: string, after: Position): AsyncGenerator<Chunk> {
    await this.#assertThere(session)
    const from = await this.#before(session, after)
    const end = await this.#end(session, from)
    if (end === undefined) return
    for await (const { message, before, now } of walk(this.#connection, this.#subject(session), { from, end })) {
      const { segment, offset, bytes } = message
      if (counts(message, before) && segment > after.segment) return
      if (counts(message, before) && isClosing(message)) return this.#endsHere(session)
      this.#meet(session, now)
      // One that lost may belong to a segment that was sealed meanwhile.
      if (segment !== after.segment) continue
      const cut = counts(message, before) ? Math.max(0, after.offset - offset) : 0
      yield { bytes: bytes.subarray(cut), segment, offset: offset + cut }
    }
  }

  async peek(session: string, after: Position): Promise<Buffer | undefined> {
    const from = await this.#before(session, after)
    const end = await this.#end(session, from)
    if (end === undefined) await this.#assertThere(session)
    if (end === undefined || (end.stream === from.stream && from.seq === after.seq)) return NOTHING
    if (from.seq !== after.seq || !(await this.#follows(session, from, end))) return undefined
    if (counts(end, from) && isClosing(end)) return NOTHING
    if (counts(end, from) && (end.segment !== after.segment || prevOf(end) !== after.hash)) return undefined
    this.#meet(session, past(end, from))
    return counts(end, from) ? end.bytes : NOTHING
  }

  /** Whether nothing stands between. */
  async #follows(session: string, { stream }: Place, end: Message): Promise<boolean> {
    if (end.stream === stream + 1 || (this.#connection.alone && end.behind === stream)) return true
    return (await this.#ask(() => this.#subject(session).next(stream + 1)))?.stream === end.stream
  }

  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    if (position.seq === 0) return 'yes'
    for (let attempt = 0; ; attempt++) {
      const found = await this.#found(session, position)
      if (found !== undefined) return endsIn(found.message, position) ? 'yes' : 'no'
      if (this.#connection.alone || attempt > LOOKS) return 'short'
      // A leader that is new may not know all of the log yet.
      if (attempt < LOOKS) await sleep(pause(attempt, 1))
      else await letAnotherLead(this.#connection, this.#subject(session))
    }
  }

  /** The message with that commit, and where the log stood before it. */
  async #found(session: string, position: Position): Promise<Step | undefined> {
    const subject = this.#subject(session)
    const { seq } = position
    const end = await this.#ask(() => subject.last())
    if (end === undefined) return undefined
    if (isClosing(end)) await this.#endsHere(session)
    let before = await this.#ask(() => subject.placeBefore(seq - 1, end))
    for (;;) {
      const { stream } = before
      const message = await this.#ask(() => subject.next(stream + 1))
      if (message === undefined || message.stream > end.stream) return undefined
      const now = past(message, before)
      if (now.seq === seq && endsIn(message, position)) this.#meet(session, now)
      if (now.seq >= seq) return { message, before, now }
      before = now
    }
  }

  async sync(): Promise<void> {
    // What can be read was stored before; when the server syncs is its own affair, and said when it is opened.
  }

  async exists(session: string): Promise<boolean> {
    if (!/^[\w.-]+$/.test(session)) return false
    const isThere = (await this.#listed(session))?.operation === 'PUT'
    if (isThere) this.#known.add(session)
    else this.#known.delete(session)
    return isThere
  }

  async *list(): AsyncGenerator<string> {
    const found = await this.#ask(async () => {
      const ids: string[] = []
      for await (const key of await this.#connection.keys.keys('session.*')) ids.push(sessionOf(key.slice(8)))
      return ids.sort()
    })
    yield* found
  }

  watch(session: string, changed: () => void): () => void {
    return this.#hints.watch(session, changed)
  }

  watchSessions(changed: () => void): () => void {
    return this.#hints.watch('', changed)
  }

  hurry(): void {
    this.#connection.address.patience.hurry()
  }

  async turn() {
    // Who loses a race decides again.
    return { release: () => undefined }
  }

  async archive(session: string): Promise<string> {
    const { archiveSession } = await import('./archive.ts')
    const name = await archiveSession({ connection: this.#connection, log: this }, session)
    this.#known.delete(session)
    return `${this.#connection.address.shown} archived/${name}`
  }

  attic(): Promise<Attic> {
    this.#attic ??= import('./attic.ts').then(({ bucketAttic }) =>
      bucketAttic({
        connection: this.#connection,
        sha256: this.#sha256,
        here: this.#here,
        blobs: this.blobs,
        log: this,
        append: (session, batch, after) => this.#append(session, batch, after),
      }),
    )
    return this.#attic
  }

  async release(session: string): Promise<void> {
    this.#met.delete(session)
  }

  /** Of the segment that grows: those before it are not counted by the servers. */
  async facts(session: string): Promise<LogFacts> {
    const end = await this.#ask(() => this.#subject(session).last())
    if (end === undefined) return { segments: [] }
    const { segment: first, offset, bytes } = end
    return { segments: [{ name: `messages from commit ${first}`, first, bytes: offset + bytes.length }] }
  }

  async close(): Promise<void> {
    await this.#hints.close()
    await this.#connection.nats.close()
  }

  /** Where the log stands at `after`; before it, when `after` is within a message. */
  async #before(session: string, after: Position): Promise<Place> {
    if (after.seq === 0) return BEGINNING
    const met = this.#met.get(session)
    if (met?.hash === after.hash) return met
    return this.#ask(async () => {
      const found = await this.#found(session, after)
      if (found === undefined) throw behind(after.seq)
      if (!endsIn(found.message, after)) throw await this.#replaced(session, after)
      return found.now.seq === after.seq ? found.now : found.before
    })
  }

  async #replaced(session: string, { seq }: Position): Promise<Error> {
    if (this.#connection.alone) return logReplaced(session)
    await letAnotherLead(this.#connection, this.#subject(session))
    return behind(seq)
  }

  #meet(session: string, place: Place): void {
    if (place.hash !== undefined) this.#met.set(session, place)
  }

  /** The last message. A leader that is new may not know all of it yet; one that never will is asked not to lead. */
  async #end(session: string, { seq, stream }: Place): Promise<Message | undefined> {
    const subject = this.#subject(session)
    for (let attempt = 0; attempt < LOOKS; attempt++) {
      const end = await this.#ask(() => subject.last())
      if (end !== undefined && isClosing(end)) await this.#endsHere(session)
      else this.#closed.delete(session)
      if ((end?.stream ?? 0) >= stream) return end
      await sleep(pause(attempt, 1))
    }
    if (!this.#connection.alone) await letAnotherLead(this.#connection, subject)
    return this.#ask(async () => {
      const end = await subject.last()
      if ((end?.stream ?? 0) < stream) throw behind(seq)
      return end
    })
  }

  /** J6: behind the end of a closed log. What it is made of may be gone. */
  async #endsHere(session: string): Promise<void> {
    this.#closed.add(session)
    if (!(await this.exists(session))) throw notFound(session)
  }

  async #assertThere(session: string): Promise<void> {
    if (!this.#known.has(session) && !(await this.exists(session))) throw notFound(session)
  }

  #listed(session: string) {
    return this.#ask(() => this.#connection.keys.get(listKey(session)))
  }

  #subject(session: string): Subject {
    return new Subject(this.#connection, session)
  }

  #ask<T>(task: () => Promise<T>): Promise<T> {
    return patiently(this.#connection.address, 'cannot ask the servers', task)
  }
}

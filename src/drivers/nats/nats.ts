/*
 * Logs in NATS JetStream: a subject for each session, a message for each append.
 *
 *   append ──► publish, if the subject's last message is the one expected ──► stored ──► acknowledged
 *
 * J1. A message holds whole lines, so it is there or not (L4). What does not fit into one is several; others may come
 *     between them, and the answer says how far it came.
 * J2. A message is stored only behind the one its writer stands behind: a stale writer, or one that was believed dead,
 *     stores nothing.
 * J3. When no answer comes, the same message is sent again under the same id, which the stream stores once; and it is
 *     looked for by the hash of its last line. Only when the servers stay away is the outcome unknown.
 */
import type { MsgHdrs } from '@nats-io/transport-node'
import { EngineError } from '../../kernel/error.ts'
import type { Appended, Chunk, Host, Lines, Log, LogFacts, Position } from '../../kernel/ports.ts'
import { checkedId } from '../../kernel/session-id.ts'
import { patiently, pause, sleep, type Connection } from './connection.ts'
import { asFailure, behind, isPassing, isStale, sessionNotFound, unsure } from './failure.ts'
import { Hints } from './hints.ts'
import { piecesOf, type Piece } from './pieces.ts'
import { blobs, checkpoints, names } from './stores.ts'
import { HEADERS, PLACE, Subject, sessionOf, tokenOf, type Message } from './subject.ts'
import { runOf } from './run.ts'

const NOTHING = Buffer.alloc(0)
const ANSWER_MS = 3000
const BY_ONE = 16

export class NatsLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: true }
  readonly checkpoints
  readonly blobs
  readonly names
  readonly #connection: Connection
  readonly #hints: Hints
  readonly #known = new Set<string>()
  /** Where in the stream the commit is that this process met last. */
  readonly #met = new Map<string, { readonly hash: string; readonly seq: number; readonly stream: number }>()

  constructor(connection: Connection, sha256: Host['sha256']) {
    this.#connection = connection
    this.#hints = new Hints(connection)
    this.checkpoints = checkpoints(connection)
    this.blobs = blobs(connection, sha256)
    this.names = names(connection, sha256)
  }

  async create(session: string): Promise<void> {
    const key = `session.${tokenOf(checkedId(session))}`
    if (!(await this.exists(session))) await this.#ask(() => this.#connection.keys.put(key, ''))
    this.#known.add(session)
  }

  async append(session: string, batch: Lines, after: Position): Promise<Appended> {
    await this.#assertThere(session)
    let position: Position | undefined
    for (const piece of piecesOf(batch, after, this.#connection.most)) {
      const expected = await this.#streamOf(session, position ?? after)
      if (expected === undefined || !(await this.#publish(session, piece, expected))) break
      position = piece.end
    }
    if (position === undefined) return { kind: 'conflict' }
    this.#hints.ring(session)
    return { kind: 'appended', position, durable: undefined }
  }

  /** J3: false when another was first. */
  async #publish(session: string, piece: Piece, expected: number): Promise<boolean> {
    const { client, address } = this.#connection
    const { seq, hash } = piece.last
    const expect = { lastSubjectSequence: expected }
    const until = Date.now() + address.patience
    for (let attempt = 0, doubt = false; ; attempt++) {
      try {
        // A fork has the same lines: ids are the stream's, which all sessions share.
        const msgID = `${session}/${hash}`
        const options = {
          headers: headersOf(this.#connection.headers(), piece),
          msgID,
          expect,
          timeout: ANSWER_MS,
          retries: 1,
        }
        const stored = await client.publish(this.#nameOf(session), piece.bytes, options)
        if (stored.duplicate && !(await this.#has(session, piece))) return false
        this.#met.set(session, { seq, hash, stream: stored.seq })
        return true
      } catch (error) {
        if (isStale(error)) return doubt && (await this.#has(session, piece))
        if (!isPassing(error)) throw asFailure(error, 'cannot append')
        doubt = true
        if (Date.now() >= until) throw unsure(session, error)
        await sleep(pause(attempt, Math.random()))
      }
    }
  }

  async #has(session: string, { end }: Piece): Promise<boolean> {
    this.#met.delete(session)
    return (await this.stands(session, end)) === 'yes'
  }

  /** The number of the message that ends with that commit; undefined when there are later ones. */
  async #streamOf(session: string, { seq, hash }: Position): Promise<number | undefined> {
    const met = this.#met.get(session)
    if (met?.hash === hash) return met.stream
    const end = await this.#end(session, seq)
    return end === undefined ? 0 : end.hash === hash ? end.stream : undefined
  }

  async *read(session: string, after: Position): AsyncGenerator<Chunk> {
    await this.#assertThere(session)
    const end = await this.#end(session, after.seq)
    if (end === undefined) return
    for await (const message of this.#messages(session, after, end)) {
      if (message.segment !== after.segment) return
      const cut = Math.max(0, after.offset - message.offset)
      yield { bytes: message.bytes.subarray(cut), segment: message.segment, offset: message.offset + cut }
    }
  }

  /** Those with commits behind `after`, up to `end`: a few one by one, many from a consumer. */
  async *#messages(session: string, after: Position, end: Message): AsyncGenerator<Message> {
    const subject = this.#subject(session)
    const met = this.#met.get(session)
    const from = met?.hash === after.hash ? met.stream + 1 : 1
    let message = await this.#ask(() => subject.behind(after.seq, end, from))
    if (message !== undefined && end.last - message.last > BY_ONE) {
      for await (const each of runOf(this.#connection, subject.name, message, end)) yield this.#meet(session, each)
      return
    }
    while (message !== undefined) {
      yield this.#meet(session, message)
      const { stream } = message
      if (stream >= end.stream) return
      message = await this.#ask(() => subject.next(stream + 1))
    }
  }

  #meet(session: string, message: Message): Message {
    const { last: seq, hash, stream } = message
    this.#met.set(session, { seq, hash, stream })
    return message
  }

  async peek(session: string, after: Position): Promise<Buffer | undefined> {
    const end = await this.#end(session, after.seq)
    if (end === undefined || end.last === after.seq) {
      if (end === undefined) await this.#assertThere(session)
      else if (end.hash !== after.hash) throw replaced(session)
      return NOTHING
    }
    if (end.first !== after.seq + 1 || end.segment !== after.segment) return undefined
    return this.#meet(session, end).bytes
  }

  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    const { seq, hash, segment, offset } = position
    if (seq === 0) return 'yes'
    const subject = this.#subject(session)
    const end = await this.#ask(() => subject.last())
    const found = end && (await this.#ask(() => subject.behind(seq - 1, end)))
    if (found === undefined) return 'short'
    const upto = offset === 0 ? found.bytes.length : offset - found.offset
    const isThere = offset === 0 ? segment === seq + 1 && found.last === seq : segment === found.segment
    return isThere && found.bytes.subarray(0, upto).toString('utf8').endsWith(`"${hash}"}\n`) ? 'yes' : 'no'
  }

  async sync(): Promise<void> {
    // What can be read was stored before; when the server syncs is its own affair, and said when it is opened.
  }

  async exists(session: string): Promise<boolean> {
    if (this.#known.has(session)) return true
    if (!/^[\w.-]+$/.test(session)) return false
    const entry = await this.#ask(() => this.#connection.keys.get(`session.${tokenOf(session)}`))
    if (entry !== null) this.#known.add(session)
    return entry !== null
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

  async turn() {
    // Who loses a race decides again.
    return { release: () => undefined }
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

  /** The last message. A leader that is new may not know all of it yet. */
  #end(session: string, least: number): Promise<Message | undefined> {
    return this.#ask(async () => {
      const end = await this.#subject(session).last()
      if ((end?.last ?? 0) < least) throw behind(least)
      return end
    })
  }

  async #assertThere(session: string): Promise<void> {
    if (!(await this.exists(session))) throw sessionNotFound(session)
  }

  #subject(session: string): Subject {
    return new Subject(this.#connection.manager, this.#connection.stream, this.#nameOf(session))
  }

  #nameOf(session: string): string {
    return `steadfold.${this.#connection.address.namespace}.log.${tokenOf(session)}`
  }

  #ask<T>(task: () => Promise<T>): Promise<T> {
    return patiently(this.#connection.address, 'cannot ask the servers', task)
  }
}

function headersOf(made: MsgHdrs, { first, last, start }: Piece): MsgHdrs {
  made.set(HEADERS.first, String(first))
  made.set(HEADERS.last, String(last.seq))
  made.set(HEADERS.hash, last.hash)
  made.set(PLACE.segment, String(start.segment))
  made.set(PLACE.offset, String(start.offset))
  return made
}

const replaced = (session: string): EngineError =>
  new EngineError('LOG_CORRUPT', `the log of session ${session} was replaced while it was open here`, {
    hint: 'open the session again',
  })

import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import type { Appended, Chunk, Host, Log, Position, Turn } from '../../kernel/ports.ts'
import { isCopy, unzipped } from './archive.ts'
import { isRealFolder } from './durable.ts'
import { sessionNotFound } from './failure.ts'
import { isSessionId, segmentName, type Layout } from './layout.ts'

const SEGMENT = /^(\d{20})\.jsonl\.gz$/

/** Archived sessions, read where they lie. */
export class ArchivedLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: true }
  readonly #layout: Layout
  readonly #sha256: Host['sha256']
  #last: { readonly file: string; readonly bytes: Buffer } | undefined

  constructor(layout: Layout, sha256: Host['sha256']) {
    this.#layout = layout
    this.#sha256 = sha256
  }

  readonly checkpoints = {
    get: async (session: string) => this.#unzip(session, 'checkpoint.json.gz'),
    put: async () => undefined,
    delete: async () => undefined,
  }

  readonly blobs = {
    put: (): Promise<string> => Promise.reject(readOnly()),
    get: async (session: string, hash: string) => {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new EngineError('NAME_INVALID', `${JSON.stringify(hash)} is no sha-256`)
      const bytes = this.#unzip(session, path.join('blobs', 'sha256', hash.slice(0, 2), `${hash}.gz`))
      if (bytes === undefined || this.#sha256(bytes) === hash) return bytes
      throw new EngineError('BLOB_CORRUPT', `blob ${hash} of archived session ${session} has other bytes`, {
        hint: `steadfold verify --archived --session ${session}`,
      })
    },
  }

  async create(): Promise<void> {
    throw readOnly()
  }

  async append(): Promise<Appended> {
    throw readOnly()
  }

  async *read(session: string, after: Position): AsyncGenerator<Chunk> {
    const { segment, offset } = after
    const bytes = this.#segment(session, segment)
    const later = this.#segments(session).some((first) => first > segment)
    // A copy: readers parse in place.
    if (bytes !== undefined && bytes.length > offset)
      yield { bytes: Buffer.from(bytes.subarray(offset)), segment, offset }
    // Who met the seal has gone on to the next segment.
    if (later)
      throw corrupt(session, `segment ${segment} is missing or ends without its seal, but later ones are there`)
  }

  peek(session: string, { segment, offset }: Position): Buffer | undefined {
    if (offset === 0) return undefined
    return Buffer.from(this.#segment(session, segment)?.subarray(offset) ?? [])
  }

  /** A damaged file is told by reading, so that what is before it can be read. */
  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    try {
      return this.#stands(session, position)
    } catch {
      return 'no'
    }
  }

  #stands(session: string, { segment, offset, hash, seq }: Position): 'yes' | 'no' | 'short' {
    const before = this.#segments(session).findLast((first) => first < segment)
    const bytes = this.#segment(session, offset > 0 ? segment : (before ?? segment)) ?? Buffer.alloc(0)
    if (bytes.length < offset || (offset === 0 && before === undefined)) return seq === 0 ? 'yes' : 'short'
    const end = `,"hash":"${hash}"}\n`
    return bytes
      .subarray(0, offset > 0 ? offset : bytes.length)
      .toString('latin1')
      .endsWith(end)
      ? 'yes'
      : 'no'
  }

  async sync(): Promise<void> {
    // It was synced before it was there.
  }

  async exists(session: string): Promise<boolean> {
    return isSessionId(session) && isRealFolder(this.#layout.archive) && isRealFolder(this.#place(session))
  }

  /** One that is still, or again, among the sessions is listed there. */
  async *list(): AsyncGenerator<string> {
    const { archive } = this.#layout
    for (const name of isRealFolder(archive) ? fs.readdirSync(archive).sort() : []) {
      if (!isSessionId(name) || !isRealFolder(this.#place(name))) continue
      const again = this.#layout.holds(name) && isCopy(this.#layout.log(name), path.join(this.#place(name), 'log'))
      if (!again) yield name
    }
  }

  watch(): () => void {
    return () => undefined
  }

  async turn(): Promise<Turn> {
    return { release: () => undefined }
  }

  async close(): Promise<void> {
    this.#last = undefined
  }

  #place(session: string): string {
    return path.join(this.#layout.archive, session)
  }

  #segments(session: string): readonly number[] {
    const folder = path.join(this.#place(session), 'log')
    if (!isSessionId(session) || !isRealFolder(this.#place(session))) throw sessionNotFound(session)
    if (!isRealFolder(folder)) throw corrupt(session, 'its log folder is gone')
    const found = fs.readdirSync(folder).flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    return found.map(Number).sort((a, b) => a - b)
  }

  #segment(session: string, first: number): Buffer | undefined {
    const file = path.join('log', `${segmentName(first)}.gz`)
    return this.#segments(session).includes(first) ? this.#unzip(session, file) : undefined
  }

  /** The last file stays at hand: a reader asks for it again and again. */
  #unzip(session: string, name: string): Buffer | undefined {
    const file = path.join(this.#place(session), name)
    if (this.#last?.file === file) return this.#last.bytes
    try {
      const bytes = unzipped(file)
      if (bytes !== undefined) this.#last = { file, bytes }
      return bytes
    } catch (error) {
      if (error instanceof EngineError) throw error
      throw corrupt(session, `${name} is damaged: ${String(error)}`)
    }
  }
}

const readOnly = (): EngineError =>
  new EngineError('READ_ONLY', 'an archived session is only read', {
    hint: 'steadfold session restore ID --archived brings it back',
  })

const corrupt = (session: string, why: string): EngineError =>
  new EngineError('LOG_CORRUPT', `archived session ${session}: ${why}`, {
    hint: 'bring the folder back from a copy; steadfold verify --archived',
  })

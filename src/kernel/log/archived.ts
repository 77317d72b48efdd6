import { EngineError } from '../error.ts'
import type { Appended, Chunk, Host, Log, Position, Turn } from '../ports.ts'

/** Where archived sessions lie: what was put there, unpacked. */
export interface Shelf {
  list(): AsyncIterable<string>
  exists(session: string): Promise<boolean>
  /** First sequence numbers of its segments, in order; throws SESSION_NOT_FOUND. */
  segments(session: string): Promise<readonly number[]>
  /** `log`, `blob` or `checkpoint`, and which; undefined where there is none. Throws where it is damaged. */
  part(session: string, kind: 'log' | 'blob' | 'checkpoint', name: string): Promise<Buffer | undefined>
}

/** Archived sessions, read where they lie. */
export class ArchivedLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: true }
  readonly #shelf: Shelf
  readonly #sha256: Host['sha256']
  #last: { readonly session: string; readonly first: number; readonly bytes: Buffer } | undefined

  constructor(shelf: Shelf, sha256: Host['sha256']) {
    this.#shelf = shelf
    this.#sha256 = sha256
  }

  readonly checkpoints = {
    get: (session: string) => this.#shelf.part(session, 'checkpoint', ''),
    put: async () => undefined,
    delete: async () => undefined,
  }

  readonly blobs = {
    put: (): Promise<string> => Promise.reject(readOnly()),
    get: async (session: string, hash: string) => {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new EngineError('NAME_INVALID', `${JSON.stringify(hash)} is no sha-256`)
      const bytes = await this.#shelf.part(session, 'blob', hash)
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
    const bytes = await this.#segment(session, segment)
    const later = (await this.#shelf.segments(session)).some((first) => first > segment)
    // A copy: readers parse in place.
    if (bytes !== undefined && bytes.length > offset)
      yield { bytes: Buffer.from(bytes.subarray(offset)), segment, offset }
    // Who met the seal has gone on to the next segment.
    if (later)
      throw damaged(session, `segment ${segment} is missing or ends without its seal, but later ones are there`)
  }

  async peek(session: string, { segment, offset }: Position): Promise<Buffer | undefined> {
    if (offset === 0) return undefined
    return Buffer.from((await this.#segment(session, segment))?.subarray(offset) ?? [])
  }

  /** A damaged part is told by reading, so that what is before it can be read. */
  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    try {
      return await this.#stands(session, position)
    } catch {
      return 'no'
    }
  }

  async #stands(session: string, { segment, offset, hash, seq }: Position): Promise<'yes' | 'no' | 'short'> {
    const before = (await this.#shelf.segments(session)).findLast((first) => first < segment)
    const bytes = (await this.#segment(session, offset > 0 ? segment : (before ?? segment))) ?? Buffer.alloc(0)
    if (bytes.length < offset || (offset === 0 && before === undefined)) return seq === 0 ? 'yes' : 'short'
    const upto = bytes.subarray(0, offset > 0 ? offset : bytes.length)
    return upto.toString('latin1').endsWith(`,"hash":"${hash}"}\n`) ? 'yes' : 'no'
  }

  async sync(): Promise<void> {
    // It was durable before it was there.
  }

  exists(session: string): Promise<boolean> {
    return this.#shelf.exists(session)
  }

  list(): AsyncIterable<string> {
    return this.#shelf.list()
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

  /** The last one stays at hand: a reader asks for it again and again. */
  async #segment(session: string, first: number): Promise<Buffer | undefined> {
    if (this.#last?.session === session && this.#last.first === first) return this.#last.bytes
    if (!(await this.#shelf.segments(session)).includes(first)) return undefined
    const bytes = await this.#shelf.part(session, 'log', String(first))
    if (bytes !== undefined) this.#last = { session, first, bytes }
    return bytes
  }
}

const readOnly = (): EngineError =>
  new EngineError('READ_ONLY', 'an archived session is only read', {
    hint: 'steadfold session restore ID --archived brings it back',
  })

export const damaged = (session: string, why: string): EngineError =>
  new EngineError('LOG_CORRUPT', `archived session ${session}: ${why}`, {
    hint: 'bring it back from a copy of the archive; steadfold verify --archived',
  })

import { START } from '../../kernel/log/chain.ts'
import { notFound } from '../../kernel/names.ts'
import type { Appended, Chunk, Host, Lines, Log, NameClaim, Position } from '../../kernel/ports.ts'

/** Bytes that grow at their end, by doubling. */
class Segment {
  #room = Buffer.allocUnsafe(1 << 12)
  length = 0

  get bytes(): Buffer {
    return this.#room.subarray(0, this.length)
  }

  append(bytes: Buffer): void {
    const wanted = this.length + bytes.length
    if (wanted > this.#room.length) {
      const room = Buffer.allocUnsafe(2 * wanted)
      this.#room.copy(room, 0, 0, this.length)
      this.#room = room
    }
    this.length += bytes.copy(this.#room, this.length)
  }
}

interface Stored {
  readonly segments: Map<number, Segment>
  position: Position
  readonly watchers: Set<() => void>
  checkpoint: Buffer | undefined
  readonly blobs: Map<string, Buffer>
}

/** Logs in this process, for tests and throw-away work. */
export class MemoryLog implements Log {
  readonly supports = { checkpoints: true, blobs: true, durable: false }
  readonly #sessions = new Map<string, Stored>()
  readonly #names = new Map<string, NameClaim>()
  readonly #sha256: Host['sha256']

  constructor(sha256: Host['sha256']) {
    this.#sha256 = sha256
  }

  readonly checkpoints = {
    get: async (session: string) => this.#stored(session).checkpoint,
    put: async (session: string, bytes: readonly Uint8Array[]) =>
      void (this.#stored(session).checkpoint = Buffer.concat(bytes)),
    delete: async (session: string) => void (this.#stored(session).checkpoint = undefined),
  }

  readonly blobs = {
    put: async (session: string, bytes: Uint8Array) => {
      const hash = this.#sha256(bytes)
      this.#stored(session).blobs.set(hash, Buffer.from(bytes))
      return hash
    },
    get: async (session: string, hash: string) => this.#stored(session).blobs.get(hash),
  }

  readonly names = {
    isWhole: true as const,
    holder: async (name: string) => this.#names.get(name),
    claim: async (name: string, id: string, after: number) => {
      if ((this.#names.get(name)?.generation ?? 0) !== after) return false
      this.#names.set(name, { id, generation: after + 1 })
      return true
    },
  }

  async create(session: string): Promise<void> {
    if (this.#sessions.has(session)) return
    this.#sessions.set(session, {
      segments: new Map(),
      position: START,
      watchers: new Set(),
      checkpoint: undefined,
      blobs: new Map(),
    })
  }

  async append(session: string, { lines, bytes }: Lines, after: Position): Promise<Appended> {
    const stored = this.#stored(session)
    const last = lines.at(-1)
    if (stored.position.seq !== after.seq || last === undefined) return { kind: 'conflict' }
    const segment = stored.segments.get(after.segment) ?? new Segment()
    stored.segments.set(after.segment, segment)
    segment.append(bytes)
    const { seq, hash } = last
    stored.position = last.seal
      ? { seq, hash, segment: seq + 1, offset: 0 }
      : { seq, hash, segment: after.segment, offset: segment.length }
    for (const changed of stored.watchers) queueMicrotask(changed)
    return { kind: 'appended', position: stored.position, durable: undefined }
  }

  async *read(session: string, { segment, offset }: Position): AsyncGenerator<Chunk> {
    const bytes = this.#stored(session).segments.get(segment)?.bytes.subarray(offset)
    // A copy: readers parse in place.
    if (bytes !== undefined && bytes.length > 0) yield { bytes: Buffer.from(bytes), segment, offset }
  }

  peek(session: string, { segment, offset }: Position): Buffer {
    return Buffer.from(this.#stored(session).segments.get(segment)?.bytes.subarray(offset) ?? [])
  }

  async stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'> {
    if (this.#stored(session).position.seq < position.seq) return 'short'
    const segments = [...this.#stored(session).segments.values()]
    return segments.some(({ bytes }) => bytes.includes(`,"hash":"${position.hash}"}\n`)) ? 'yes' : 'no'
  }

  async sync(): Promise<void> {
    // Nothing outlives this process.
  }

  async exists(session: string): Promise<boolean> {
    return this.#sessions.has(session)
  }

  async *list(): AsyncGenerator<string> {
    yield* [...this.#sessions.keys()].sort()
  }

  watch(session: string, changed: () => void): () => void {
    const { watchers } = this.#stored(session)
    watchers.add(changed)
    return () => void watchers.delete(changed)
  }

  async turn() {
    return { release: () => undefined }
  }

  async close(): Promise<void> {
    this.#sessions.clear()
  }

  #stored(session: string): Stored {
    const stored = this.#sessions.get(session)
    if (stored !== undefined) return stored
    throw notFound(session)
  }
}

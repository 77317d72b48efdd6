/* What of a session goes into a bundle: commits as they stand, and the blobs that they name. */
import type { Kernel } from '../../kernel/kernel.ts'
import { blobsNamed, commitBatches } from '../../kernel/log/copy.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Source } from './write.ts'

export interface Contents {
  /** Blobs first: what names them comes behind them. */
  readonly sources: readonly Source[]
  /** Of the last commit. */
  readonly head: string
  readonly seq: number
}

interface Part {
  readonly after: Position
  last: number
}

/** Bytes as they stand, before they are compressed. */
export interface Most {
  readonly bytes: number
  readonly files: number
}

export interface Span {
  readonly after: Position
  readonly last: number
  /** What does not fit is left behind, but for the first commits of all. */
  readonly most?: Most | undefined
}

const ANY: Most = { bytes: Infinity, files: Infinity }

export async function contentsOf(kernel: Kernel, session: string, span: Span): Promise<Contents> {
  const parts: Part[] = []
  const blobs = new Blobs(kernel, session)
  let { seq, hash } = span.after
  let segment = 0
  for await (const commit of fitting(kernel, session, span, blobs)) {
    if (commit.segment !== segment) {
      segment = commit.segment
      parts.push({ after: parts.length === 0 ? span.after : { seq, hash, segment, offset: 0 }, last: seq })
    }
    ;({ seq, hash } = commit)
    const part = parts.at(-1)
    if (part !== undefined) part.last = seq
  }
  const logs = parts.map((part): Source => ({
    path: `log/${String(part.after.seq + 1).padStart(20, '0')}.jsonl`,
    chunks: () => bytesOf(kernel, session, part),
  }))
  return { sources: [...blobs.sources(), ...logs], head: hash, seq }
}

interface Found {
  readonly segment: number
  readonly seq: number
  readonly hash: string
}

/** Each commit as long as there is room for it and the blobs that it names. */
async function* fitting(
  kernel: Kernel,
  session: string,
  { after, last, most = ANY }: Span,
  blobs: Blobs,
): AsyncGenerator<Found> {
  for await (const { lines, bytes, segment } of commitBatches(kernel, session, after, last)) {
    let from = 0
    for (const { seq, hash, end } of lines) {
      const isFull = !(await blobs.take(bytes.subarray(from, end), seq === after.seq + 1 ? ANY : most))
      if (isFull) return
      yield { segment, seq, hash }
      from = end
    }
  }
}

async function* bytesOf(kernel: Kernel, session: string, { after, last }: Part): AsyncGenerator<Uint8Array> {
  // A copy: the batch is good until the next is asked for, and streams read ahead.
  for await (const { bytes } of commitBatches(kernel, session, after, last)) yield Buffer.from(bytes)
}

/** Those that commits name, each looked for once. */
class Blobs {
  readonly #hashes: string[] = []
  readonly #kernel: Kernel
  readonly #session: string
  readonly #asked = new Set<string>()
  /** Of the lines and the blobs. */
  #bytes = 0

  constructor(kernel: Kernel, session: string) {
    this.#kernel = kernel
    this.#session = session
  }

  /** False, and nothing is taken, where the line and what it names would be too much. */
  async take(line: Buffer, most: Most): Promise<boolean> {
    const hashes: string[] = []
    let bytes = this.#bytes + line.length
    for (const hash of blobsNamed(line)) {
      if (this.#asked.has(hash)) continue
      this.#asked.add(hash)
      const blob = await this.#get(hash)
      if (blob === undefined) continue
      hashes.push(hash)
      bytes += blob.length
    }
    if (bytes > most.bytes || this.#hashes.length + hashes.length > most.files) return false
    this.#bytes = bytes
    this.#hashes.push(...hashes)
    return true
  }

  sources(): readonly Source[] {
    const get = (hash: string) => this.#get(hash)
    return this.#hashes.toSorted().map((hash) => ({
      path: `blobs/sha256/${hash.slice(0, 2)}/${hash}`,
      chunks: async function* () {
        const bytes = await get(hash)
        if (bytes !== undefined) yield bytes
      },
    }))
  }

  async #get(hash: string): Promise<Uint8Array | undefined> {
    return this.#kernel.log.blobs?.get(this.#session, hash)
  }
}

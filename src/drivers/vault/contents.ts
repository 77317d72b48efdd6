/* What of a session goes into a bundle: commits as they stand, and the blobs that they name. */
import { START } from '../../kernel/chain.ts'
import { commitBatches } from '../../kernel/copy.ts'
import type { Kernel } from '../../kernel/kernel.ts'
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

const HASH = /[0-9a-f]{64}/g

/** Commits behind `after` up to `last`. */
export async function contentsOf(
  kernel: Kernel,
  session: string,
  after: Position = START,
  last = Number.MAX_SAFE_INTEGER,
): Promise<Contents> {
  const parts: Part[] = []
  const named = new Set<string>()
  let { seq, hash } = after
  let segment = 0
  for await (const batch of commitBatches(kernel, session, after, last)) {
    if (batch.segment !== segment) {
      segment = batch.segment
      parts.push({ after: parts.length === 0 ? after : { seq, hash, segment, offset: 0 }, last: seq })
    }
    for (const [found] of batch.bytes.toString('latin1').matchAll(HASH)) named.add(found)
    const end = batch.lines.at(-1)
    const part = parts.at(-1)
    if (end === undefined || part === undefined) continue
    ;({ seq, hash } = end)
    part.last = seq
  }
  const logs = parts.map((part): Source => ({
    path: `log/${String(part.after.seq + 1).padStart(20, '0')}.jsonl`,
    chunks: () => bytesOf(kernel, session, part),
  }))
  return { sources: [...(await blobSources(kernel, session, named)), ...logs], head: hash, seq }
}

async function* bytesOf(kernel: Kernel, session: string, { after, last }: Part): AsyncGenerator<Uint8Array> {
  // A copy: the batch is good until the next is asked for, and streams read ahead.
  for await (const { bytes } of commitBatches(kernel, session, after, last)) yield Buffer.from(bytes)
}

/** Most hashes in a commit are those of files and of other commits. */
async function blobSources({ log }: Kernel, session: string, named: ReadonlySet<string>): Promise<readonly Source[]> {
  const found: Source[] = []
  for (const hash of [...named].sort()) {
    if ((await log.blobs?.get(session, hash)) === undefined) continue
    const path = `blobs/sha256/${hash.slice(0, 2)}/${hash}`
    found.push({
      path,
      chunks: async function* () {
        const bytes = await log.blobs?.get(session, hash)
        if (bytes !== undefined) yield bytes
      },
    })
  }
  return found
}

import { EngineError } from '../error.ts'
import type { Encoded, Lines, Log, Position, Reader } from '../ports.ts'
import { Chain, START } from './chain.ts'
import type { Scanned } from './decode.ts'
import { corrupt, scanLog } from './replay.ts'

const NEWLINE = 0x0a

interface Found {
  readonly seq: number
  readonly hash: string
  readonly seal: boolean
}

/** Lines of one segment, as they stand. */
interface SegmentLines extends Lines {
  readonly segment: number
}

interface Kept {
  readonly log: Pick<Log, 'blobs'>
  readonly session: string
}

/** Those of the chain itself are no blobs. */
const HASH = /(?<!"(?:prev|hash)":)"([0-9a-f]{64})"/g

/**
 * The commits of `from` up to `last`, byte for byte, into the new session `to`, and the blobs they name. Lost races and
 * fragments stay behind.
 */
export async function copyLog(reader: Reader, from: string, to: string, last: number): Promise<Position> {
  const { log } = reader
  let position = START
  for await (const batch of commitBatches(reader, from, START, last)) {
    await copyBlobs({ log, session: from }, { log, session: to }, batch.bytes)
    position = await appendLines(reader, to, batch, position)
  }
  return position
}

/** Throws what would end a copy up to `last`: a damaged log is seen before anything is made of it. */
export async function assertCopyable(reader: Reader, from: string, last: number): Promise<void> {
  for await (const _ of commitBatches(reader, from, START, last)) continue
}

/** What may be the hash of a blob; most are those of files. */
export const blobsNamed = (lines: Buffer): ReadonlySet<string> =>
  new Set([...lines.toString('latin1').matchAll(HASH)].map(([, hash = '']) => hash))

/** Blobs that the lines name, before the lines: a copy that is cut short misses none. Answers how many there were. */
export async function copyBlobs(from: Kept, to: Kept, lines: Buffer): Promise<number> {
  let copied = 0
  for (const hash of blobsNamed(lines)) {
    const bytes = await from.log.blobs?.get(from.session, hash)
    if (bytes === undefined) continue
    await to.log.blobs?.put(to.session, bytes)
    copied++
  }
  return copied
}

/** The commits behind `after` up to `last`. A batch is good until the next is asked for. */
export async function* commitBatches(
  { log, host }: Reader,
  session: string,
  after: Position,
  last: number,
): AsyncGenerator<SegmentLines> {
  const chain = new Chain(after, host.sha256)
  let found: Found[] = []
  let { segment } = after
  const scanned = scanLog(log, session, chain, ({ seq, hash }, behind) => {
    found.push({ seq, hash, seal: behind.segment === seq + 1 })
  })
  for await (const part of scanned) {
    for (const batch of batchesOf(part, found, last)) yield { ...batch, segment }
    if (chain.position.seq >= last) return
    segment = chain.position.segment
    found = []
  }
  if (chain.damage !== undefined) throw corrupt(session, chain.damage)
}

/** Each run of accepted lines as it stands, up to `last`. */
function* batchesOf({ bytes, runs }: Scanned, found: readonly Found[], last: number): Generator<Lines> {
  let next = 0
  for (const { start, end, count } of runs) {
    const run = bytes.subarray(start, end)
    const lines: Encoded[] = []
    for (const line of found.slice(next, next + count))
      if (line.seq <= last) lines.push({ ...line, end: run.indexOf(NEWLINE, lines.at(-1)?.end) + 1 })
    next += count
    if (lines.length > 0) yield { lines, bytes: run.subarray(0, lines.at(-1)?.end) }
  }
}

/** Answers where the log stands behind them; throws CONFLICT when somebody else wrote meanwhile. */
export async function appendLines(
  { log }: Pick<Reader, 'log'>,
  session: string,
  batch: Lines,
  after: Position,
): Promise<Position> {
  const appended = await log.append(session, batch, after, { durability: 'durable' })
  if (appended.kind === 'conflict' || appended.position.seq === after.seq)
    throw new EngineError('CONFLICT', `session ${session} is written to by others`, { hint: 'try again' })
  await appended.durable
  const rest = behind(batch, appended.position.seq)
  // Some stores take a part of them when others come between, or when there is no more room: the rest meets that.
  return rest.lines.length === 0 ? appended.position : appendLines({ log }, session, rest, appended.position)
}

function behind({ lines, bytes }: Lines, seq: number): Lines {
  const cut = lines.findLast((line) => line.seq <= seq)?.end ?? 0
  const rest = lines.filter((line) => line.seq > seq).map((line) => ({ ...line, end: line.end - cut }))
  return { lines: rest, bytes: bytes.subarray(cut) }
}

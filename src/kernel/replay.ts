/*
 * Bytes of a log into commits, checked on the way. Everything that reads a log reads it here.
 *
 *   log.read ─► scanLog: the chain rules ─► replay: parsed commits
 *                                       └─► verify and fork: bytes as they stand
 */
import type { Accepted, Chain, Damage, Run } from './chain.ts'
import { decodeLine } from './codec.ts'
import type { Commit } from './commit.ts'
import { EngineError } from './error.ts'
import type { Log } from './ports.ts'

const NEWLINE = 0x0a
const COMMA = 0x2c
/** JSON.parse of a block of lines is faster than of each line, while the block stays small enough for the cache. */
const BLOCK = 16 * 1024

export interface Scanned {
  readonly bytes: Buffer
  /** Where accepted lines stand in `bytes`. */
  readonly runs: readonly Run[]
}

/** The log behind `chain.position`, as far as it is written now. Stops at damage, which `chain` then holds. */
export async function* scanLog(log: Log, session: string, chain: Chain, accepted?: Accepted): AsyncGenerator<Scanned> {
  let segment: number
  do {
    segment = chain.position.segment
    try {
      for await (const chunk of log.read(session, chain.position)) {
        yield { bytes: chunk.bytes, runs: chain.scan(chunk, accepted) }
        if (chain.damage !== undefined || chain.position.segment !== segment) break
      }
    } catch (error) {
      chain.fail(error)
    }
  } while (chain.damage === undefined && chain.position.segment !== segment)
}

/** The commits behind `chain.position`, in order. */
export async function* replay(log: Log, session: string, chain: Chain): AsyncGenerator<readonly Commit[]> {
  for await (const { bytes, runs } of scanLog(log, session, chain)) {
    for (const run of runs) yield* decodeRun(bytes, run)
  }
}

/** Whole lines, parsed a block at a time. Turns their newlines into commas: the bytes are not used again. */
function* decodeRun(bytes: Buffer, run: Run): Generator<readonly Commit[]> {
  let start = run.start
  while (start < run.end) {
    const wanted = Math.min(start + BLOCK, run.end) - 1
    const before = bytes.lastIndexOf(NEWLINE, wanted)
    const end = before > start ? before : bytes.indexOf(NEWLINE, wanted)
    yield decodeBlock(bytes, start, end)
    start = end + 1
  }
}

function decodeBlock(bytes: Buffer, start: number, end: number): readonly Commit[] {
  let lines = 1
  for (let at = bytes.indexOf(NEWLINE, start); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) {
    bytes[at] = COMMA
    lines++
  }
  if (lines === 1) return [decodeLine(bytes.toString('utf8', start, end))]
  // Each line's hash has been checked: an encoder of this format wrote it.
  return JSON.parse(`[${bytes.toString('utf8', start, end)}]`) as Commit[]
}

/** The damage as an error that says where and what to do. */
export function corrupt(session: string, damage: Damage): EngineError {
  const { segment, offset, seq, reason, bytes } = damage
  return new EngineError(
    'LOG_CORRUPT',
    `session ${session} is damaged at commit ${seq}: segment ${segment}, byte ${offset}: ${reason}`,
    { hint: `steadfold verify --session ${session}; steadfold repair ${session}`, details: { session, segment, offset, bytes, seq } },
  )
}

/*
 * Bytes of a log into commits, checked on the way. Everything that reads a log reads it here.
 *
 *   log.read ─► scanLog: the chain rules ─► replay: parsed commits
 *                                       └─► verify and fork: bytes as they stand
 */
import { NEWER_FORMAT, type Accepted, type Chain, type Damage, type Run } from './chain.ts'
import type { Commit } from './commit.ts'
import { decodeCommits, decodeFolded, type Folded } from './decode.ts'
import { EngineError } from './error.ts'
import type { Log } from './ports.ts'

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
  for await (const scanned of scanLog(log, session, chain)) yield* decodeCommits(scanned)
}

/** The same, with no more of each commit than folding needs. */
export async function* replayFolded(log: Log, session: string, chain: Chain): AsyncGenerator<readonly Folded[]> {
  let next = chain.position.seq + 1
  for await (const scanned of scanLog(log, session, chain)) {
    yield* decodeFolded(scanned, next)
    next = chain.position.seq + 1
  }
}

/** The damage as an error that says where and what to do. */
export function corrupt(session: string, damage: Damage): EngineError {
  const { segment, offset, seq, reason, bytes } = damage
  return new EngineError(
    'LOG_CORRUPT',
    `session ${session} is damaged at commit ${seq}: segment ${segment}, byte ${offset}: ${reason}`,
    { hint: mending(session, damage), details: { session, segment, offset, bytes, seq } },
  )
}

/** A newer program reads what is cut off here as damage: cutting is the last thing to try. */
export function mending(session: string, { reason }: Pick<Damage, 'reason'>): string {
  const cut = `steadfold repair ${session}`
  return reason === NEWER_FORMAT
    ? `open it with the newer steadfold that wrote it; only if none did: ${cut}`
    : `steadfold verify --session ${session}; ${cut}`
}

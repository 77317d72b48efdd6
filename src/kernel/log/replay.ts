/*
 * Bytes of a log into commits, checked on the way. Everything that reads a log reads it here.
 *
 *   log.read ─► scanLog: the chain rules ─► replay: parsed commits
 *                                       └─► verify and fork: bytes as they stand
 */
import { asError, EngineError, exitStatus } from '../error.ts'
import type { Log } from '../ports.ts'
import { NEWER_FORMAT, type Accepted, type Chain, type Damage } from './chain.ts'
import type { Commit } from './commit.ts'
import { decodeCommits, type Scanned } from './decode.ts'

const EXIT_NOT_FOUND = 3

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
  let next = chain.position.seq + 1
  try {
    for await (const scanned of scanLog(log, session, chain))
      for (const commits of decodeCommits(scanned)) {
        yield commits
        next += commits.length
      }
  } catch (error) {
    throw error instanceof SyntaxError ? foreign(session, next, error) : error
  }
}

export const LOG_GONE = 'its log is gone'

/** Why a checkpoint that stands ahead of its log is damage: where nothing of the log is left, no repair keeps anything. */
export const tailLost = (checkpoint: number, end: number): string =>
  end === 0
    ? `${LOG_GONE}, but a checkpoint stands at commit ${checkpoint}`
    : `a checkpoint stands at commit ${checkpoint}, but the log ends at ${end}: its tail was lost`

/** The one thing that helps where a log is gone. */
export const bringBack = (session: string): string =>
  `bring .steadfold/sessions/${session}/log back from a copy; without it nothing can be rebuilt`

export const isGone = ({ reason }: Pick<Damage, 'reason'>): boolean => reason.startsWith(LOG_GONE)

export type DamageCode = 'LOG_CORRUPT' | 'VERSION_UNKNOWN'

/** What a newer program wrote is whole, and not for this one to read. */
export const codeOf = ({ reason }: Pick<Damage, 'reason'>): DamageCode =>
  reason === NEWER_FORMAT ? 'VERSION_UNKNOWN' : 'LOG_CORRUPT'

/** The damage as an error that says where and what to do, which `log` may not be able to. */
export function corrupt(session: string, damage: Damage, log?: Pick<Log, 'repair'>): EngineError {
  const { segment, offset, seq, reason, bytes } = damage
  const code = codeOf(damage)
  const isMended = log === undefined || log.repair !== undefined || code !== 'LOG_CORRUPT'
  const what = code === 'LOG_CORRUPT' ? `is damaged at commit ${seq}` : `cannot be read from commit ${seq} on`
  return new EngineError(code, `session ${session} ${what}: segment ${segment}, byte ${offset}: ${reason}`, {
    hint: isMended ? mending(session, damage) : fromBackup(session),
    details: { session, segment, offset, bytes, seq },
  })
}

/** What is not found in a damaged log may be behind the damage. */
export function orDamage(failure: EngineError, seen: Seen | undefined): EngineError {
  const hidden = seen?.damage !== undefined && exitStatus(failure.code) === EXIT_NOT_FOUND
  return hidden ? corrupt(seen.id, seen.damage) : failure
}

interface Seen {
  readonly id: string
  readonly damage: Damage | undefined
}

/** What helps where nothing is repaired: in the archive, and in a database. */
export const fromBackup = (session: string): string => `bring what is missing of ${session} back from a backup`

/** What a newer program reads, and what stands behind a first commit that is damaged, is cut off last of all. */
export function mending(session: string, damage: Pick<Damage, 'reason' | 'seq'>): string {
  if (isGone(damage)) return bringBack(session)
  const cut = `steadfold repair ${session}`
  if (codeOf(damage) === 'VERSION_UNKNOWN')
    return `open it with the newer steadfold that wrote it; only if none did: ${cut}`
  return damage.seq === 1
    ? `${fromBackup(session)}; without one: ${cut}, which keeps no commit of it`
    : `steadfold verify --session ${session}; ${cut}`
}

/** Of a commit whose hash checks, and which no program of this format would write. */
export function foreign(session: string, seq: number, cause: unknown): EngineError {
  const why = asError(cause).message
  return new EngineError('LOG_CORRUPT', `session ${session}: commit ${seq} cannot be folded: ${why}`, {
    hint: `steadfold verify --deep --session ${session}; steadfold repair ${session}`,
    details: { session, seq },
    cause,
  })
}

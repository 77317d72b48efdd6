/** What stands in the spool, as of one moment. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../kernel/system-error.ts'
import { parseFact, type Fact, type Parsed } from './fact.ts'
import { asFailure } from './failure.ts'
import { readJournal, type Journal } from './journal.ts'
import { clockNow, type Clock } from './spool-order.ts'
import { spooled } from './spool-waits.ts'

export interface Pending {
  readonly id: string
  readonly fact: Fact
  /** What is wrong with it, and with no other fact of its file. */
  readonly wrong?: string | undefined
  readonly time: number
  /** The whole fact; empty where the file holds no other. */
  readonly text: Buffer
  /** The file of many facts that it stands in, and where it ends there. */
  readonly journal?: Journal
  readonly end: number
}

export interface Scanned {
  readonly pending: readonly Pending[]
  /** Files that hold no fact and are older than a minute. */
  readonly bad: readonly { readonly file: string; readonly reason: string }[]
  readonly unfinished: readonly string[]
  readonly journals: readonly Journal[]
  /** True when there is more than was read. */
  readonly capped: boolean
  /** True when there are facts that may be for the next time; see Clock.isLate. */
  readonly late: boolean
}

interface Limits {
  readonly now: () => number
  /** Of one fact, or of what is read of one file. */
  readonly maxBytes: number
  /** Late facts, too; see Clock.isLate. */
  readonly withLate?: boolean
}

type Growing = {
  -readonly [Member in keyof Scanned]: Scanned[Member] extends readonly (infer E)[] ? E[] : Scanned[Member]
}

const PATIENCE_MS = 60_000
const READ_AT_ONCE = 64 * 1024 * 1024
const NO_TEXT = Buffer.alloc(0)
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants

export function scan(folder: string, { now, maxBytes, withLate = false }: Limits): Scanned {
  const found: Growing = { pending: [], bad: [], unfinished: [], journals: [], capped: false, late: false }
  const clock = withLate ? { ...clockNow(), isLate: () => false } : clockNow()
  const isOld = (mtimeMs: number) => now() - mtimeMs > PATIENCE_MS
  const { one, many } = spooled(folder)
  let left = READ_AT_ONCE
  for (const file of [...many, ...one]) {
    const place = path.join(folder, file)
    const stat = fs.lstatSync(place, { throwIfNoEntry: false })
    if (stat === undefined) continue
    if (left <= 0) {
      found.capped = true
      continue
    }
    left -= Math.min(stat.size, maxBytes)
    const problem = file.endsWith('.facts')
      ? scanMany(place, found, clock, maxBytes)
      : scanOne(place, stat, { found, clock, maxBytes })
    if (problem !== undefined && isOld(stat.mtimeMs)) found.bad.push({ file, reason: problem })
  }
  return found
}

interface Scan {
  readonly found: Growing
  readonly clock: Clock
  readonly maxBytes: number
}

/** What is wrong with the file, if anything. */
function scanOne(place: string, stat: fs.Stats, { found, clock, maxBytes }: Scan): string | undefined {
  if (!stat.isFile()) return 'it is not a regular file'
  if (stat.size > maxBytes) return `it has ${stat.size} bytes, more than ${maxBytes}`
  const id = path.basename(place, '.fact')
  const parsed = readFact(place, id, stat.size)
  if (parsed?.kind === 'unfinished') found.unfinished.push(path.basename(place))
  if (parsed?.kind !== 'fact') return parsed?.kind === 'malformed' ? parsed.reason : undefined
  const { fact } = parsed
  found.pending.push({ id, fact, time: clock.timeOf(fact.at, stat.mtimeMs), text: NO_TEXT, end: 0 })
  return undefined
}

function scanMany(place: string, found: Growing, clock: Clock, maxBytes: number): string | undefined {
  const writer = path.basename(place, '.facts').replace(/-[^-]*$/, '')
  const journal = readJournal(place, writer, maxBytes)
  if (journal === undefined) return 'it is not a regular file'
  const timed = journal.records.map((record) => ({ ...record, time: clock.timeOf(record.fact.at, journal.mtimeMs) }))
  const late = timed.findIndex(({ fact, time }) => clock.isLate(fact.at, time))
  const taken = late < 0 ? timed : timed.slice(0, late)
  found.late ||= late >= 0
  const kept = late < 0 ? journal : { ...journal, size: taken.at(-1)?.end ?? journal.offset, more: true }
  found.journals.push(kept)
  if (journal.more) found.capped = true
  if (!kept.more && journal.rest === 'unfinished') found.unfinished.push(path.basename(place))
  for (const { fact, wrong, text, time, end } of taken)
    found.pending.push({ id: fact.id, fact, wrong, time, text, journal: kept, end })
  return undefined
}

/** Undefined when another process has just taken it. A file that grows is read no further than it was long. */
function readFact(file: string, id: string, size: number): Parsed | undefined {
  let fd: number
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw asFailure(error, `cannot read ${file}`)
  }
  try {
    const bytes = Buffer.alloc(size)
    return parseFact(id, bytes.subarray(0, fs.readSync(fd, bytes, 0, size, 0)))
  } catch (error) {
    throw asFailure(error, `cannot read ${file}`)
  } finally {
    fs.closeSync(fd)
  }
}

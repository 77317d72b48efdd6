/*
 * A `.facts` file: what one process hands in, one fact after the other.
 *
 *   taken before │ new, whole facts │ a fact under way
 *   0 ───────────┴── mark.offset ───┴── … ─────────────► size
 *
 * J1. The file belongs to its writer. A taker changes nothing in it; it keeps beside it how far it took.
 * J2. A mark that does not fit the file, by the number of its first fact or by its length, is nothing: the facts are
 *     taken again, which adds nothing (L7).
 */
import * as fs from 'node:fs'
import { errnoOf } from '../../kernel/system-error.ts'
import { temporaryName } from './durable.ts'
import { parseFacts, type ParsedFile, type Recorded } from './fact.ts'
import { asFailure } from './failure.ts'
import { markOf, readMark, type Mark } from './spool-waits.ts'

export interface Journal {
  readonly file: string
  readonly mtimeMs: number
  /** How far it was read: to its end, or as much as is read at once. */
  readonly size: number
  readonly more: boolean
  /** How far it was taken before. */
  readonly offset: number
  /** Number of its first fact; the identity of a file that was made anew under the same name. */
  readonly first: string
  readonly records: readonly Recorded[]
  readonly rest: ParsedFile['rest']
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
const FIRST_BYTES = 4096
const FIRST = /^steadfold-fact 1\n(?:.+\n)*?n: (\d{1,15})\n/

/** Undefined when there is no such file, or no regular one. The ends of records count from the beginning of the file. */
export function readJournal(file: string, writer: string, maxBytes: number): Journal | undefined {
  const opened = openRegular(file)
  if (opened === undefined) return undefined
  const { fd, size, mtimeMs } = opened
  try {
    const first = FIRST.exec(readAt(fd, 0, Math.min(size, FIRST_BYTES)).toString('utf8'))?.[1] ?? '0'
    const offset = offsetOf(readMark(file), first, size)
    const bytes = readAt(fd, offset, Math.min(size - offset, maxBytes))
    const { records, rest } = parseFacts(writer, bytes)
    const moved = records.map((record) => ({ ...record, end: record.end + offset }))
    const read = offset + bytes.length
    return { file, size: read, more: read < size, mtimeMs, offset, first, records: moved, rest }
  } catch (error) {
    throw asFailure(error, `cannot read ${file}`)
  } finally {
    fs.closeSync(fd)
  }
}

/** Keeps how far `journal` was taken, and looked at. Not synced: a mark that is lost costs only time (J2). */
export function keepMark(journal: Journal, offset: number, size: number): void {
  const temporary = temporaryName(markOf(journal.file))
  try {
    fs.writeFileSync(temporary, `${journal.first} ${offset} ${size}\n`, { mode: 0o600, flag: 'wx' })
    fs.renameSync(temporary, markOf(journal.file))
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw asFailure(error, `cannot write ${markOf(journal.file)}`)
  }
}

/** J2 */
function offsetOf(mark: Mark | undefined, first: string, size: number): number {
  return mark !== undefined && mark.first === first && mark.offset <= size ? mark.offset : 0
}

/** Links are not followed, and a pipe does not block. */
function openRegular(
  file: string,
): { readonly fd: number; readonly size: number; readonly mtimeMs: number } | undefined {
  let fd: number
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ELOOP') return undefined
    throw asFailure(error, `cannot read ${file}`)
  }
  const stat = fs.fstatSync(fd)
  if (stat.isFile()) return { fd, size: stat.size, mtimeMs: stat.mtimeMs }
  fs.closeSync(fd)
  return undefined
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, offset))
}

/*
 * A redo file: a copy of the end of a segment, in a file that does not grow.
 *
 *   segment   … synced ─┬─ one ─┬─ two ─┐           in memory, perhaps not on the disk
 *   redo      redo 1 <first> <offset> <bytes>\n one │ redo 1 … \n two │ what is left of before, or newlines
 *
 * R1. It belongs to one writer. Its first record begins where the segment was synced, each other where the one before ends.
 * R2. It is begun anew, from its beginning, only behind a sync of the segment itself.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../kernel/system-error.ts'
import { makeLoose, PRIVATE_FILE, syncFolder, syncFolderLater, uniqueName } from './durable.ts'
import { asFailure } from './failure.ts'
import { fill } from './fill.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants
const SIZE = 256 * 1024
/** With less room on the disk it belongs to the log. */
const ROOM = 64 * SIZE
const NEWLINE = 0x0a
const HEAD = /^redo 1 (\d{1,15}) (\d{1,15}) (\d{1,5})\n/
const HEAD_ROOM = 64
const NAME = /^[0-9a-f]{16}\.(redo|kept)$/
/** Whoever uses one gives it up long before it is so old, in milliseconds (S3). */
const LEFT_MS = 10_000

/** Bytes that stood in segment `first` from `offset` on. */
export interface Copy {
  readonly first: number
  readonly offset: number
  readonly bytes: Buffer
}

export class Redo {
  readonly fd: number
  readonly #file: string
  readonly #first: number
  readonly #room: Buffer
  /** Where the next record goes. */
  #at = 0
  /** Milliseconds since 1970. */
  #used = Date.now()

  #isNamed = false
  #isClosed = false

  /** In `folder`, for the segment that begins with `first`; no record has more than `most` bytes of it. */
  constructor(folder: string, first: number, most: number) {
    this.#room = Buffer.allocUnsafe(HEAD_ROOM + most)
    assertRoom(path.dirname(folder))
    makeLoose(folder)
    this.#first = first
    this.#file = path.join(folder, `${uniqueName()}.redo`)
    this.fd = fs.openSync(this.#file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE)
    try {
      writeWhole(this.fd, Buffer.alloc(SIZE, NEWLINE), 0)
    } catch (error) {
      this.remove()
      this.close()
      throw error
    }
  }

  /** Syncs the names of file and folder: whoever has made the folder may not have come to it. Until then nothing is copied. */
  async name(): Promise<void> {
    const folder = path.dirname(this.#file)
    for (const each of [folder, path.dirname(folder)]) await syncFolderLater(each)
    this.#isNamed = true
  }

  /** Copies what stands there in `segment`. False when there is no room for it: the segment itself is to be synced. */
  put(segment: number, from: number, to: number): boolean {
    const length = to - from
    if (!this.#isNamed || HEAD_ROOM + length > this.#room.length) return false
    const head = this.#room.write(`redo 1 ${this.#first} ${from} ${length}\n`, 'latin1')
    if (this.#at + head + length > SIZE) return false
    const record = this.#room.subarray(0, head + length)
    if (fill(segment, from, record.subarray(head)) < length) return false
    this.#used = Date.now()
    writeWhole(this.fd, record, this.#at)
    this.#at += record.length
    return true
  }

  /** Milliseconds since it was last written to; a clock that was set back makes it older, too. */
  get age(): number {
    return Math.abs(Date.now() - this.#used)
  }

  /** R2: the segment is synced. */
  beginAnew(): void {
    this.#at = 0
  }

  /** What writers that were killed have left beside it. */
  left(): readonly string[] {
    return this.#isClosed ? [] : redoFiles(path.dirname(this.#file)).filter((file) => this.#isLeft(file))
  }

  /**
   * By the clock of the disk. Only what is older: whoever was held up since he made his own has an old one beside those in use.
   * The segments before are synced (F1), those behind may not be.
   */
  #isLeft(file: string): boolean {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stat?.isFile() !== true || !file.endsWith('.redo')) return false
    if (fs.fstatSync(this.fd).mtimeMs - stat.mtimeMs <= LEFT_MS) return false
    return (copyIn(readRedo(file))?.first ?? 0) <= this.#first
  }

  /**
   * The segment holds all of it: that it stays, or comes back with a power cut, does no harm. With its folder, which short commands
   * would look into.
   */
  remove(): void {
    try {
      fs.rmSync(this.#file, { force: true })
      fs.rmdirSync(path.dirname(this.#file))
    } catch {
      // It goes with those that killed writers have left, and the folder with the last of them.
    }
  }

  /** The segment may have lost what stands here, which nobody sees while it is in memory: not to be taken away for its age. */
  keep(): void {
    try {
      fs.renameSync(this.#file, this.#file.replace(/redo$/, 'kept'))
      syncFolder(path.dirname(this.#file))
    } catch {
      // It is kept under its own name, or somebody has moved it aside.
    }
  }

  close(): void {
    this.#isClosed = true
    fs.closeSync(this.fd)
  }
}

function assertRoom(folder: string): void {
  const { bavail, bsize } = fs.statfsSync(folder)
  if (bavail * bsize < ROOM) throw new Error('the disk is almost full')
}

/** Undefined when there is no record. */
export function copyIn(redo: Buffer): Copy | undefined {
  const parts: Buffer[] = []
  let [first, from, to, at] = [0, 0, 0, 0]
  for (;;) {
    const head = HEAD.exec(redo.toString('latin1', at, at + HEAD_ROOM))
    if (head === null) break
    const [segment, offset, length] = head.slice(1).map(Number) as [number, number, number]
    const begin = at + head[0].length
    if (begin + length > redo.length || (parts.length > 0 && (segment !== first || offset !== to))) break
    if (parts.length === 0) [first, from] = [segment, offset]
    parts.push(redo.subarray(begin, begin + length))
    to = offset + length
    at = begin + length
  }
  return parts.length === 0 ? undefined : { first, offset: from, bytes: Buffer.concat(parts) }
}

/** Nothing when its writer has given it up meanwhile. */
export function readRedo(file: string): Buffer {
  let fd: number
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw asFailure(error, `cannot read ${file}`)
  }
  try {
    const bytes = Buffer.allocUnsafe(SIZE)
    return bytes.subarray(0, fill(fd, 0, bytes))
  } finally {
    fs.closeSync(fd)
  }
}

/** A link is among them: whoever opens it is refused. */
export function redoFiles(folder: string): readonly string[] {
  try {
    const entries = fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((each) => each.isFile() || each.isSymbolicLink())
    return entries.filter(({ name }) => NAME.test(name)).map(({ name }) => path.join(folder, name))
  } catch (error) {
    // Somebody has archived the session meanwhile.
    if (errnoOf(error) === 'ENOENT') return []
    throw asFailure(error, `cannot read ${folder}`)
  }
}

export function writeWhole(fd: number, bytes: Buffer, offset: number): void {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done, bytes.length - done, offset + done)
}

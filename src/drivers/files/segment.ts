/*
 * One open segment.
 *
 * L4, L5: lines are written with one write under O_APPEND, then read back: what stands there decides who won.
 * A short write leaves a fragment; the next line begins with a newline of its own.
 */
import * as fs from 'node:fs'
import { EngineError } from '../../kernel/error.ts'
import { Chain } from '../../kernel/log/chain.ts'
import { checkLine } from '../../kernel/log/check-line.ts'
import type { Encoded, Host, Lines, Position } from '../../kernel/ports.ts'
import { PRIVATE_FILE } from './durable.ts'
import { asFailure } from './failure.ts'
import { fill } from './fill.ts'
import { lineBefore } from './read.ts'
import { type Among, SegmentSync } from './segment-sync.ts'
import type { SyncGauge } from './sync-gauge.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = fs.constants
const NOTHING = ''
/** Room is asked for before so many bytes. */
const LARGE = 16 * 1024
const MUCH = 256 * 1024
const LITTLE = 64 * 1024
/** Holds the first commit of somebody else, as a rule: one is enough to know that ours is stale. */
const FEW = 2 * 1024
/** Ends a fragment, so that it stays one. */
const END_FRAGMENT = '\n'
/** Spoils a whole line that lacks only its newline: nobody was told that it counts, so it must not begin to. */
const VOID_LINE = ' \n'

export class Segment {
  readonly first: number
  readonly #fd: number
  readonly #file: string
  readonly #sha256: Host['sha256']
  readonly #inode: number
  readonly #way: string
  /** What the system says of our descriptor while the file has its name; undefined where it says nothing. */
  readonly #link: string | undefined
  readonly #few = Buffer.alloc(FEW)
  #back = Buffer.alloc(0)
  #led = Buffer.alloc(0)
  #tail: Buffer | undefined
  /** Where the file was last seen to end. */
  #end = -1
  /** Where our last line that won ends; undefined when nothing follows it here. */
  #own: number | undefined
  readonly #sync: SegmentSync

  /** `redo` is the folder of the session's redo files. */
  constructor(file: string, first: number, redo: string, sha256: Host['sha256']) {
    this.first = first
    this.#file = file
    this.#sha256 = sha256
    this.#fd = fs.openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, PRIVATE_FILE)
    this.#inode = fs.fstatSync(this.#fd).ino
    this.#way = `/proc/self/fd/${this.#fd}`
    const link = linkOf(this.#way)
    this.#link = this.isNamed ? link : undefined
    this.#sync = new SegmentSync({ fd: this.#fd, first, redo })
  }

  /** False when a repair or an archive took the file away: what is written here is not in the log. */
  get isNamed(): boolean {
    return fs.lstatSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode
  }

  /**
   * The same, without asking for the file's times: who asks for them makes the next write keep one of its own, and the next
   * sync write it (Linux 6.13 and later). Of what another machine did to a shared folder only `isNamed` is sure to tell.
   */
  get hasKeptName(): boolean {
    return (this.#link !== undefined && linkOf(this.#way) === this.#link) || this.isNamed
  }

  get size(): number {
    return fs.fstatSync(this.#fd).size
  }

  /**
   * Where the log stands behind our lines: `after` when none of them won. A write that stops half way is continued by
   * libuv, and in between others write: of several lines the first may be torn and the rest stand whole behind it, a gap.
   * So with others about each line is written by itself, once the one before has won, and a seal always is.
   */
  write(batch: Lines, after: Position, isAlone: boolean): Position {
    let position = after
    for (const part of isAlone ? sealApart(batch) : oneByOne(batch)) {
      const before = position
      try {
        position = this.#write(part, before, isAlone)
        if (position !== before) this.#own = position.segment === this.first ? position.offset : undefined
      } catch (error) {
        if (before === after) throw error
        // What has won stands; what has not is decided again, and meets the failure again.
        return before
      }
      if (position.seq < (part.lines.at(-1)?.seq ?? 0)) return position
    }
    return position
  }

  #write({ lines, bytes }: Lines, after: Position, isAlone: boolean): Position {
    // Whoever has been alone so far need not look twice: a stranger's line in between is seen when ours is read back.
    const found = isAlone && this.#end === after.offset ? NOTHING : this.#leadBehind(after)
    // Others were here since the caller looked: what it decided is stale, and need not be written to find out.
    if (found === undefined) return after
    // Behind the fragment of a write that is cut short right now, one line is torn; of several, the rest would be a gap.
    const lead = found === NOTHING && lines.length > 1 && after.seq > 0 ? END_FRAGMENT : found
    const led = lead === NOTHING ? bytes : this.#behindLead(lead, bytes)
    if (led.length > LARGE) this.#assertRoom(led.length)
    try {
      fs.writeSync(this.#fd, led)
    } catch (error) {
      throw asFailure(error, `cannot append to ${this.#file}`)
    }
    try {
      return this.#won(lines, led, after)
    } catch (cause) {
      throw new EngineError('OUTCOME_UNKNOWN', `${this.#file}: what was written cannot be read back`, {
        hint: 'steadfold log',
        cause,
      })
    }
  }

  /** In memory that serves group after group. */
  #behindLead(lead: string, bytes: Buffer): Buffer {
    const length = lead.length + bytes.length
    if (length > MUCH) return Buffer.concat([Buffer.from(lead), bytes])
    if (this.#led.length < length) this.#led = Buffer.allocUnsafe(2 * length)
    bytes.copy(this.#led, this.#led.write(lead, 'latin1'))
    return this.#led.subarray(0, length)
  }

  /** A write that stops half way keeps the space it took: a fragment cannot be removed (L1). */
  #assertRoom(length: number): void {
    // What has no name any more is not in the log, which whoever called finds next.
    if (!this.isNamed) return
    const { bavail, bsize } = fs.statfsSync(this.#file)
    if (bavail * bsize >= length) return
    throw new EngineError('DISK_FULL', `${length} bytes do not fit: ${bavail * bsize} are free. Nothing was written`, {
      hint: 'free some space, then try again; reads still work',
    })
  }

  /** Our lines and all before them. */
  sync(): void {
    this.#sync.now(this.#own)
  }

  /** The same, here or on the thread pool. Undefined when it is done. */
  durable(gauge: SyncGauge, among: Among): Promise<void> | undefined {
    return this.#sync.inTurn(this.#own, gauge, among)
  }

  close(): void {
    this.#sync.close()
  }

  /**
   * What a writer finds behind its last look, in one call and without memory of its own. Undefined when it is much, or
   * when the file ends before.
   */
  tail(offset: number): Buffer | undefined {
    this.#tail ??= Buffer.allocUnsafe(LITTLE)
    const seen = Math.min(offset, 1)
    try {
      const length = fs.readSync(this.#fd, this.#tail, 0, LITTLE, offset - seen)
      this.#end = offset - seen + length
      return length === LITTLE || length < seen ? undefined : this.#tail.subarray(seen, length)
    } catch (error) {
      throw asFailure(error, `cannot read ${this.#file}`)
    }
  }

  /** What must stand before our lines; undefined when they would be stale. */
  #leadBehind(after: Position): string | undefined {
    // Reading costs a third of asking for the size.
    const from = Math.max(0, after.offset - 1)
    const end = from + this.#look(from)
    if (end < after.offset) throw this.#shrunk(after, this.size)
    if (end === after.offset) return NOTHING
    const few = this.#few.subarray(after.offset - from, end - from)
    const chain = new Chain(after, this.#sha256)
    chain.scan({ bytes: few, segment: this.first, offset: after.offset })
    return chain.position === after ? this.#lead(after, this.size) : undefined
  }

  #look(from: number): number {
    try {
      return fs.readSync(this.#fd, this.#few, 0, FEW, from)
    } catch (error) {
      throw asFailure(error, `cannot read ${this.#file}`)
    }
  }

  /** What must stand before our line when there is more behind `after`; undefined when that includes commits or damage. */
  #lead(after: Position, size: number): string | undefined {
    const tail = this.#read(after.offset, size - after.offset)
    const chain = new Chain(after, this.#sha256)
    chain.scan({ bytes: tail, segment: this.first, offset: after.offset })
    if (chain.position !== after || chain.damage !== undefined || this.#isAltered(after, chain)) return undefined
    if (chain.unfinished === undefined) return NOTHING
    const start = chain.unfinished.offset - after.offset
    return checkLine(tail, start, tail.length, this.#sha256) === undefined ? END_FRAGMENT : VOID_LINE
  }

  #shrunk({ seq, offset }: Position, size: number): EngineError {
    return new EngineError(
      'LOG_CORRUPT',
      `${this.#file} ends at byte ${size}, but commit ${seq} ended at byte ${offset}: its tail was lost`,
      {
        hint: 'steadfold verify',
        details: { segment: this.first, offset: size, seq },
      },
    )
  }

  #won(lines: readonly Encoded[], bytes: Buffer, after: Position): Position {
    const last = lines.at(-1)
    if (last === undefined) return after
    const sole = this.#readBack(after.offset, bytes.length).equals(bytes)
    return sole ? behind(last, this.first, after.offset + bytes.length) : this.#judge(lines, after)
  }

  /** Others wrote too: the chain rules say which of our lines count. */
  #judge(lines: readonly Encoded[], after: Position): Position {
    const ours = new Set(lines.map(({ hash }) => hash))
    const chain = new Chain(after, this.#sha256)
    let position = after
    const bytes = this.#read(after.offset, this.size - after.offset)
    chain.scan({ bytes, segment: this.first, offset: after.offset }, (link, here) => {
      if (ours.has(link.hash)) position = here
    })
    if (!this.#isAltered(after, chain)) return position
    throw new Error(`commit ${after.seq} was altered while others wrote`)
  }

  /** L3: others write in the place of a commit when they have lost a race, or when it is not what it was. */
  #isAltered({ offset, hash }: Position, { rivals }: Chain): boolean {
    return rivals > 0 && offset > 0 && lineBefore(this.#fd, offset, this.#sha256)?.hash !== hash
  }

  /** What we wrote is looked at once: it needs no memory of its own. */
  #readBack(offset: number, length: number): Buffer {
    if (this.#back.length < length && length <= MUCH) this.#back = Buffer.allocUnsafe(2 * length)
    return this.#read(offset, length, this.#back)
  }

  #read(offset: number, length: number, room?: Buffer): Buffer {
    const bytes = room !== undefined && room.length >= length ? room.subarray(0, length) : Buffer.allocUnsafe(length)
    return bytes.subarray(0, fill(this.#fd, offset, bytes))
  }
}

function linkOf(way: string): string | undefined {
  try {
    return fs.readlinkSync(way)
  } catch {
    return undefined
  }
}

function behind({ seq, hash, seal }: Encoded, segment: number, offset: number): Position {
  return seal ? { seq, hash, segment: seq + 1, offset: 0 } : { seq, hash, segment, offset }
}

function sealApart(batch: Lines): readonly Lines[] {
  const { length } = batch.lines
  const sealed = length > 1 && batch.lines.at(-1)?.seal === true
  return sealed ? [part(batch, 0, length - 1), part(batch, length - 1, length)] : [batch]
}

function oneByOne(batch: Lines): readonly Lines[] {
  return batch.lines.length === 1 ? [batch] : batch.lines.map((_, index) => part(batch, index, index + 1))
}

function part({ lines, bytes }: Lines, from: number, to: number): Lines {
  return { lines: lines.slice(from, to), bytes: bytes.subarray(lines[from - 1]?.end ?? 0, lines[to - 1]?.end) }
}

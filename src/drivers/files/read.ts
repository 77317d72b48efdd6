import * as fs from 'node:fs'
import { EngineError } from '../../kernel/error.ts'
import { checkLine, type Link } from '../../kernel/log/check-line.ts'
import { logReplaced, logShrunk } from '../../kernel/log/replaced.ts'
import type { Chunk, Host, Position } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import type { Ahead } from './ahead.ts'
import { statOf, TO_READ } from './durable.ts'
import { asFailure } from './failure.ts'
import { fill } from './fill.ts'
import type { Layout } from './layout.ts'

/** Not that of a test which stands in for the clock. */
const turn = globalThis.setImmediate
const NEWLINE = 0x0a
const BLOCK = 256 * 1024
const LEAST = 1024
/** Less is read before a thread has begun. */
const LONG = 16 * 1024 * 1024
const SEAL_WITHIN = 16 * 1024
/** Most lines are no longer. */
const SHORT = 4 * 1024
const { O_NOFOLLOW, O_NONBLOCK } = fs.constants

/**
 * The bytes of one segment behind `after`, cut at newlines where there is more than a block. A reader goes on to the next
 * segment at the seal; one who is still here at the end, while later segments hold something, has met a cut log.
 */
export async function* readSegment(layout: Layout, session: string, after: Position): AsyncGenerator<Chunk> {
  const fd = openSegment(layout, session, after)
  if (fd === undefined) return
  const { segment } = after
  const chunks = (from: number) => readChunks(fd, { session, segment, from })
  let { offset } = after
  let ahead: Ahead | undefined
  try {
    const { ino, size } = fs.fstatSync(fd)
    if (size >= offset && !follows(fd, after)) throw logReplaced(session)
    if (size - offset >= LONG)
      ahead = (await import('./ahead.ts')).readAhead({ file: layout.segment(session, segment), inode: ino, size })
    if (ahead !== undefined) {
      offset = yield* inTurns(chunks(offset), ahead)
      offset = yield* ahead.chunks(segment, offset)
    }
    for (let later = false; ;) {
      const end = yield* inTurns(chunks(offset))
      if (later && end === offset) throw unsealed(session, after)
      offset = end
      // The seal is written before the next segment: once that is there, one more look must find the seal.
      later ||= goesOn(layout, session, segment)
      if (!later) return
    }
  } catch (error) {
    throw asFailure(error, `cannot read the log of session ${session}`)
  } finally {
    ahead?.close()
    fs.closeSync(fd)
  }
}

/** Whether the commit of `after` ends there in this very file, which is not shorter: that is told of by reading. */
function follows(fd: number, { offset, hash }: Position): boolean {
  const end = Buffer.from(`${hash}"}\n`)
  if (offset < end.length) return true
  const found = Buffer.allocUnsafe(end.length)
  fill(fd, offset - end.length, found)
  return found.equals(end)
}

/**
 * Timers, signals and other requests do not wait for the end of a long log. Answers where the last whole line ended, be it
 * because whoever reads ahead is ready to go on.
 */
async function* inTurns(chunks: Generator<Chunk, number>, ahead?: Ahead): AsyncGenerator<Chunk, number> {
  for (;;) {
    const { value, done } = chunks.next()
    if (done === true) return value
    const end = value.offset + value.bytes.length
    const isWhole = value.bytes.at(-1) === NEWLINE
    yield value
    if (value.bytes.length >= BLOCK / 2) await new Promise(turn)
    if (isWhole && ahead?.isReady === true) return end
  }
}

/**
 * One buffer serves all chunks, so that it stays in the processor's cache: a chunk is good until the next is asked for.
 * Answers where the last whole line ended.
 */
function* readChunks(
  fd: number,
  { session, segment, from }: { readonly session: string; readonly segment: number; readonly from: number },
): Generator<Chunk, number> {
  const { size } = fs.fstatSync(fd)
  if (size < from) throw logShrunk(session)
  let buffer = Buffer.allocUnsafe(Math.min(BLOCK, Math.max(LEAST, size - from)))
  for (let offset = from; ;) {
    const length = fill(fd, offset, buffer)
    const last = length < buffer.length || fs.fstatSync(fd).size <= offset + length
    const lines = length === 0 ? 0 : buffer.lastIndexOf(NEWLINE, length - 1) + 1
    const whole = last ? length : lines
    if (whole > 0) yield { bytes: buffer.subarray(0, whole), segment, offset }
    if (last) return offset + lines
    if (whole === 0) buffer = Buffer.allocUnsafe(buffer.length * 2)
    offset += whole
  }
}

/** Whether a later segment holds something; one that was only begun may be the rest of a crash. */
function goesOn(layout: Layout, session: string, segment: number): boolean {
  return (lastHeld(layout, session) ?? 0) > segment
}

/**
 * The last segment, before `below`, that holds something: a power cut may take the seal but leave the empty file that was
 * begun behind it. A long log has many, so they are not all looked at.
 */
export function lastHeld(layout: Layout, session: string, below = Infinity): number | undefined {
  return layout.segments(session).findLast((first) => first < below && (segmentSize(layout, session, first) ?? 0) > 0)
}

/** Undefined when the segment is not begun yet. */
export function openSegment(layout: Layout, session: string, after: Position): number | undefined {
  const fd = tryOpen(layout, session, after)
  if (fd !== undefined || layout.segments(session).every((first) => first < after.segment)) return fd
  // It may have been begun, and even ended, since the first look; by now it must be there.
  const begun = tryOpen(layout, session, after)
  if (begun !== undefined) return begun
  throw missing(session, after)
}

function tryOpen(layout: Layout, session: string, after: Position): number | undefined {
  try {
    return fs.openSync(layout.segment(session, after.segment), TO_READ)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw asFailure(error, `cannot read the log of session ${session}`)
  }
}

function missing(session: string, { segment, seq }: Position): EngineError {
  return new EngineError('LOG_CORRUPT', `session ${session}: segment ${segment} is missing, but later ones are there`, {
    hint: `bring the file back, or: steadfold repair ${session}`,
    details: { session, segment, offset: 0, seq: seq + 1 },
  })
}

function unsealed(session: string, { segment, seq }: Position): EngineError {
  return new EngineError(
    'LOG_CORRUPT',
    `session ${session}: segment ${segment} ends without its seal, but later ones are there`,
    {
      hint: `steadfold repair ${session}`,
      details: { session, segment, seq: seq + 1 },
    },
  )
}

export function segmentSize(layout: Layout, session: string, first: number): number | undefined {
  return statOf(layout.segment(session, first))?.size
}

/** Whether the commit of `position` ends exactly there, and is what it was. */
export function stands(
  layout: Layout,
  session: string,
  position: Position,
  sha256: Host['sha256'],
): 'yes' | 'no' | 'short' {
  if (position.offset === 0) return sealedBefore(layout, session, position, sha256)
  const { segment, offset, hash } = position
  const size = segmentSize(layout, session, segment)
  if (size === undefined || size < offset) return 'short'
  const last = opened(layout.segment(session, segment), (fd) => lineBefore(fd, offset, sha256))
  return last?.hash === hash ? 'yes' : 'no'
}

/** The line that ends at `offset` of a file, wherever it begins; undefined when it does not check. */
export function lineBefore(fd: number, offset: number, sha256: Host['sha256']): Link | undefined {
  for (let size = SHORT; ; size *= 4) {
    const bytes = tail(fd, offset, size)
    const end = bytes.length - 1
    if (bytes[end] !== NEWLINE) return undefined
    const from = bytes.lastIndexOf(NEWLINE, end - 1) + 1
    if (from > 0 || bytes.length < size) return checkLine(bytes, from, end, sha256)
  }
}

/** A position at the start of a segment stands behind a seal. Files that are no part of the log may lie between. */
function sealedBefore(
  layout: Layout,
  session: string,
  { segment, hash }: Position,
  sha256: Host['sha256'],
): 'yes' | 'no' | 'short' {
  for (const first of layout.segments(session).toReversed()) {
    const found = first < segment ? endsIn(layout.segment(session, first), hash, sha256) : 'short'
    if (found !== 'short') return found
  }
  return 'short'
}

/** Races that were lost may follow the line. */
function endsIn(file: string, hash: string, sha256: Host['sha256']): 'yes' | 'no' | 'short' {
  const told = `,"hash":"${hash}"}\n`
  return opened(file, (fd) => {
    const { size } = fs.fstatSync(fd)
    for (let length = SEAL_WITHIN; ; length *= 4) {
      const end = tail(fd, size, length)
      const at = end.lastIndexOf(told)
      const offset = size - end.length + at + told.length
      if (at >= 0) return lineBefore(fd, offset, sha256)?.hash === hash ? 'yes' : 'no'
      if (end.length < length) return 'short'
    }
  })
}

function tail(fd: number, end: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(end, length))
  return bytes.subarray(0, fill(fd, end - bytes.length, bytes))
}

/** What `use` makes of it; `doing` is what people are told cannot be done. */
export function opened<Value>(
  file: string,
  use: (fd: number) => Value,
  flags = TO_READ,
  doing = `cannot read ${file}`,
): Value {
  let fd: number | undefined
  try {
    fd = fs.openSync(file, flags | O_NOFOLLOW | O_NONBLOCK)
    return use(fd)
  } catch (error) {
    // That it is gone since the last look is for whoever asks to judge.
    throw errnoOf(error) === 'ENOENT' ? error : asFailure(error, doing)
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

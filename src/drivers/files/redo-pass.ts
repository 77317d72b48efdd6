/*
 * After a power cut: what redo files hold of a log, and its last segment does not, is put back.
 *
 *   segment   … base │ one │ ······ │           on the disk
 *   redo           └─ one ─┴─ two ──┘           two is written where it stood
 *
 * P1. Only commits that follow from what stands before them are put back, byte for byte where they stood: whoever else does it
 *     at the same time, or reads meanwhile, meets the same bytes. They are not synced; until they are, the redo file stays.
 * P2. Only what is missing is written: over NUL bytes, or over what no line that checks stands in or behind. Which is not what
 *     was there before (L1): some file systems leave there what another file had on that place of the disk.
 */
import * as fs from 'node:fs'
import { Chain } from '../../kernel/log/chain.ts'
import { checkLine } from '../../kernel/log/check-line.ts'
import type { Host } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { fill } from './fill.ts'
import type { Layout } from './layout.ts'
import { lineBefore, opened } from './read.ts'
import { copyIn, readRedo, redoFiles, writeWhole, type Copy } from './redo-file.ts'

const NOTHING = Buffer.alloc(0)
const NEWLINE = 0x0a
const BLOCK = 1024 * 1024

export function redoPass(layout: Layout, session: string, sha256: Host['sha256']): void {
  for (const file of redoFiles(layout.redo(session))) {
    const copy = copyIn(readRedo(file))
    if (copy !== undefined) redo(file, layout.segment(session, copy.first), copy, sha256)
  }
}

function redo(file: string, segment: string, copy: Copy, sha256: Host['sha256']): void {
  try {
    opened(segment, (fd) => {
      const missing = missingIn(fd, copy, sha256)
      // A repair moves it aside before it puts another segment in the place of this one.
      if (missing !== undefined && fs.existsSync(file)) putBack(segment, fs.fstatSync(fd).ino, missing)
    })
  } catch (error) {
    // Somebody has archived the session meanwhile.
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

/** P2. Undefined when nothing is, or when something else stands there. */
function missingIn(fd: number, copy: Copy, sha256: Host['sha256']): Copy | undefined {
  const found = readAt(fd, copy.offset, copy.bytes.length)
  if (found.equals(copy.bytes)) return undefined
  const proven = provenOf(fd, copy, sha256)
  const at = proven.findIndex((byte, i) => byte !== found[i])
  if (at < 0) return undefined
  const line = at === 0 ? 0 : found.lastIndexOf(NEWLINE, at - 1) + 1
  const isFree = isEmpty(found, proven) || !holdsLine(fd, copy.offset + line, sha256)
  return isFree ? { ...copy, offset: copy.offset + at, bytes: proven.subarray(at) } : undefined
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.subarray(0, fill(fd, offset, bytes))
}

/** P1. What stands behind the last commit is the rest of a record that was cut short, or of one that was written over. */
function provenOf(fd: number, { first, offset, bytes }: Copy, sha256: Host['sha256']): Buffer {
  const base = offset > 0 && offset <= fs.fstatSync(fd).size ? lineBefore(fd, offset, sha256) : undefined
  if (base === undefined) return NOTHING
  const chain = new Chain({ seq: base.seq, hash: base.hash, segment: first, offset }, sha256)
  chain.scan({ bytes, segment: first, offset })
  return bytes.subarray(0, Math.max(0, chain.position.offset - offset))
}

/** P2 */
function isEmpty(found: Buffer, proven: Buffer): boolean {
  return proven.every((byte, i) => byte === found[i] || (found[i] ?? 0) === 0)
}

/** P2. From there on, however long it is. */
function holdsLine(fd: number, offset: number, sha256: Host['sha256']): boolean {
  for (let size = BLOCK; ; size *= 4) {
    const bytes = readAt(fd, offset, size)
    for (let start = 0, end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (checkLine(bytes, start, end, sha256) !== undefined) return true
      start = end + 1
    }
    if (bytes.length < size) return false
  }
}

function putBack(segment: string, inode: number, { offset, bytes }: Copy): void {
  const write = (fd: number) => {
    // It has put it there since.
    if (fs.fstatSync(fd).ino === inode) writeWhole(fd, bytes, offset)
  }
  opened(segment, write, fs.constants.O_WRONLY, `cannot put back what a power cut took of ${segment}`)
}

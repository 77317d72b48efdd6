/*
 * After a power cut: what redo files hold of a log, and its last segment does not, is put back.
 *
 *   segment   … base │ one │ ······ │           on the disk
 *   redo           └─ one ─┴─ two ──┘           two is written where it stood
 *
 * P1. Only commits that follow from what stands before them are put back, byte for byte where they stood: whoever else does it
 *     at the same time, or reads meanwhile, meets the same bytes. They are not synced; until they are, the redo file stays.
 * P2. Only what is missing is written: nothing that stands there is written over (L1).
 */
import * as fs from 'node:fs'
import { Chain } from '../../kernel/log/chain.ts'
import type { Host } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { isRealFolder, readFile } from './durable.ts'
import { asFailure } from './failure.ts'
import { fill } from './fill.ts'
import type { Layout } from './layout.ts'
import { lineBefore } from './read.ts'
import { copyIn, redoFiles, writeWhole, type Copy } from './redo-file.ts'

const { O_NOFOLLOW, O_RDONLY, O_WRONLY } = fs.constants
const NOTHING = Buffer.alloc(0)

/** Once for each session: only a power cut makes it necessary again, and this process does not outlive that. */
export class RedoPass {
  readonly #layout: Layout
  readonly #sha256: Host['sha256']
  readonly #done = new Set<string>()

  constructor(layout: Layout, sha256: Host['sha256']) {
    this.#layout = layout
    this.#sha256 = sha256
  }

  over(session: string): void {
    if (this.#done.has(session)) return
    const folder = this.#layout.redo(session)
    if (isRealFolder(folder)) for (const file of redoFiles(folder)) this.#redo(session, file)
    this.#done.add(session)
  }

  #redo(session: string, file: string): void {
    // Its writer may have given it up meanwhile.
    const copy = copyIn(readFile(file) ?? NOTHING)
    if (copy !== undefined) redo(this.#layout.segment(session, copy.first), copy, this.#sha256)
  }
}

function redo(segment: string, copy: Copy, sha256: Host['sha256']): void {
  let fd: number
  try {
    fd = fs.openSync(segment, O_RDONLY | O_NOFOLLOW)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    throw asFailure(error, `cannot open ${segment}`)
  }
  try {
    const found = Buffer.alloc(copy.bytes.length)
    fill(fd, copy.offset, found)
    if (found.equals(copy.bytes)) return
    const proven = provenOf(fd, copy, sha256)
    const at = missingFrom(found, proven)
    if (at !== undefined)
      putBack(segment, fs.fstatSync(fd).ino, { ...copy, offset: copy.offset + at, bytes: proven.subarray(at) })
  } finally {
    fs.closeSync(fd)
  }
}

/** P1. What stands behind the last commit is the rest of a record that was cut short, or of one that was written over. */
function provenOf(fd: number, { first, offset, bytes }: Copy, sha256: Host['sha256']): Buffer {
  const base = offset > 0 && offset <= fs.fstatSync(fd).size ? lineBefore(fd, offset, sha256) : undefined
  if (base === undefined) return NOTHING
  const chain = new Chain({ seq: base.seq, hash: base.hash, segment: first, offset }, sha256)
  chain.scan({ bytes, segment: first, offset })
  return bytes.subarray(0, Math.max(0, chain.position.offset - offset))
}

/** P2. Undefined when nothing is, or when something else stands there. */
function missingFrom(found: Buffer, proven: Buffer): number | undefined {
  let at: number | undefined
  for (let i = 0; i < proven.length; i++) {
    if (found[i] === proven[i]) continue
    if (found[i] !== 0) return undefined
    at ??= i
  }
  return at
}

function putBack(segment: string, inode: number, { offset, bytes }: Copy): void {
  let fd: number | undefined
  try {
    fd = fs.openSync(segment, O_WRONLY | O_NOFOLLOW)
    // A repair has put another file in its place.
    if (fs.fstatSync(fd).ino !== inode) return
    writeWhole(fd, bytes, offset)
  } catch (error) {
    throw asFailure(error, `cannot put back what a power cut took of ${segment}`)
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

import * as fs from 'node:fs'
import { checkLine } from '../../kernel/log/check-line.ts'
import type { Host, Position } from '../../kernel/ports.ts'
import { fill } from './fill.ts'
import type { Layout } from './layout.ts'
import { lastHeld, openSegment, segmentSize } from './read.ts'

const NEWLINE = 0x0a
const BLOCK = 64 * 1024

/** Finds whole lines in the middle of logs. Whether one counts, only the chain can tell. */
export class Nearby {
  readonly #layout: Layout
  readonly #sha256: Host['sha256']

  constructor(layout: Layout, sha256: Host['sha256']) {
    this.#layout = layout
    this.#sha256 = sha256
  }

  /** Behind a line that ends about `bytes` before `from`, in its segment or at the end of the one before. */
  before(session: string, from: Position, bytes: number): Position | undefined {
    const here = from.offset > 0 ? this.#inSegment(session, from, bytes) : undefined
    return here ?? this.#inSegment(session, { ...from, ...this.#endBefore(session, from) }, bytes)
  }

  #inSegment(session: string, from: Position, bytes: number): Position | undefined {
    const { segment, offset } = from
    const fd = segment === 0 ? undefined : openSegment(this.#layout, session, from)
    if (fd === undefined) return undefined
    try {
      return this.#lineIn(fd, { segment, start: Math.max(0, offset - bytes), end: offset })
    } finally {
      fs.closeSync(fd)
    }
  }

  #endBefore(session: string, { segment }: Position): Pick<Position, 'segment' | 'offset'> {
    const before = lastHeld(this.#layout, session, segment) ?? 0
    return { segment: before, offset: before === 0 ? 0 : (segmentSize(this.#layout, session, before) ?? 0) }
  }

  /** The first line behind `start` that ends before `end`, wherever it begins. */
  #lineIn(fd: number, { segment, start, end }: Range): Position | undefined {
    for (let size = BLOCK; ; size *= 4) {
      const bytes = Buffer.allocUnsafe(Math.min(size, end - start))
      const length = fill(fd, start, bytes)
      // In the midst of a line there is no telling what it is.
      let from = start === 0 ? 0 : bytes.subarray(0, length).indexOf(NEWLINE) + 1
      for (let to = bytes.indexOf(NEWLINE, from); to >= 0 && to < length; to = bytes.indexOf(NEWLINE, from)) {
        const link = checkLine(bytes, from, to, this.#sha256)
        if (link !== undefined && start + to + 1 < end)
          return { seq: link.seq, hash: link.hash, segment, offset: start + to + 1 }
        from = to + 1
      }
      if (start + bytes.length >= end) return undefined
    }
  }
}

interface Range {
  readonly segment: number
  readonly start: number
  readonly end: number
}

/*
 * Lines that are what their hash says, found ahead of the chain rules: on another thread, while what stands before is folded.
 */
import type { Host } from '../ports.ts'
import { checkLine } from './check-line.ts'

const NEWLINE = 0x0a

/** `Chunk.sound` of bytes that begin where a line does. */
export function soundEnds(bytes: Buffer, sha256: Host['sha256']): Uint32Array<ArrayBuffer> {
  const ends: number[] = []
  for (let start = 0; ;) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0) return Uint32Array.from(ends)
    if (checkLine(bytes, start, end, sha256) !== undefined) ends.push(end)
    start = end + 1
  }
}

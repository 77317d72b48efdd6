/*
 * Files of an attempt, read with care: its command knows where they are, and may have put anything in their place.
 *
 * P1. A pipe, a folder or a link there is told, never waited for nor followed.
 * P2. What cannot be looked at for want of descriptors is not taken for missing: that is a failure, and nothing is concluded.
 */
import * as fs from 'node:fs'
import { errnoOf, systemError } from '../../kernel/system-error.ts'
import type { Text } from '../../kernel/work/worker.ts'

export interface Opened {
  readonly fd: number
  readonly size: number
}

export interface Fault {
  /** `is a link`, to be put behind the name of the file. */
  readonly fault: string
}

const WANT = /^(?:EMFILE|ENFILE|ENOMEM)$/

/** P2: throws STORE_UNAVAILABLE where `error` tells nothing of the file. */
export function assertSeen(error: unknown, file: string): void {
  const code = errnoOf(error) ?? ''
  const hint = 'close what is open, or raise the limit (ulimit -n), then try again'
  if (WANT.test(code)) throw systemError(error, `cannot read ${file}`, { [code]: ['STORE_UNAVAILABLE', hint] })
}

/** Undefined when there is none. Whoever asks closes it. */
export function openPlain(file: string): Opened | Fault | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  let fd: number
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    assertSeen(error, file)
    const code = errnoOf(error) ?? String(error)
    if (code === 'ENOENT') return undefined
    return { fault: code === 'ELOOP' ? 'is a link' : `cannot be read (${code})` }
  }
  const stat = fs.fstatSync(fd)
  if (stat.isFile()) return { fd, size: stat.size }
  fs.closeSync(fd)
  return { fault: stat.isDirectory() ? 'is a folder' : 'is no file' }
}

/** The last `most` bytes; none when there is no such file. */
export function readEnd(file: string, most: number): Text | Fault {
  const opened = openPlain(file)
  if (opened === undefined) return { bytes: new Uint8Array(), truncated: false }
  if ('fault' in opened) return opened
  const { fd, size } = opened
  try {
    const bytes = Buffer.alloc(Math.min(size, most))
    const read = fs.readSync(fd, bytes, 0, bytes.length, Math.max(0, size - most))
    return { bytes: bytes.subarray(0, read), truncated: size > most }
  } finally {
    fs.closeSync(fd)
  }
}

const SHORT = 4096

/** Undefined when there is none, or none that can be read. */
export function readShort(file: string): string | undefined {
  const opened = openPlain(file)
  if (opened === undefined || 'fault' in opened) return undefined
  try {
    const bytes = Buffer.alloc(SHORT)
    return bytes.toString('utf8', 0, fs.readSync(opened.fd, bytes, 0, SHORT, 0))
  } finally {
    fs.closeSync(opened.fd)
  }
}

/*
 * The standard streams by their numbers: `process.stdout` costs a hot command a fifth of its time.
 */
import * as fs from 'node:fs'
import { asError, EngineError } from '../../../kernel/error.ts'
import { errnoOf } from '../../../kernel/system-error.ts'

export type Said = string | Uint8Array

export interface Io {
  out(text: Said): void
  err(text: Said): void
  /** All of stdin. */
  input(): Buffer
  isTerminal(stream: 'in' | 'out' | 'err'): boolean
  /** Columns of the terminal. Without end where there is none: what is searched, kept or read by programs is not cut. */
  readonly width: number
}

/** Thrown when nobody reads stdout any more: the program ends quietly. */
export class ReaderGone extends Error {}

const NUMBERS = { in: 0, out: 1, err: 2 } as const
export const WAIT_MS = 2

let write = writeAll

/** Has `other` write from now on, until what is answered is called. */
export function through(other: typeof writeAll): () => void {
  write = other
  return () => {
    write = writeAll
  }
}

export const processIo: Io = {
  out: (text) => write(1, text),
  err: (text) => write(2, text),
  input: readAll,
  isTerminal: (stream) => isTerminal(NUMBERS[stream]),
  get width() {
    if (!isTerminal(1)) return Infinity
    const { columns } = process.stdout
    // A terminal that does not know says 0.
    return columns > 0 ? columns : 80
  },
}

/** Linux counts /dev/null among its memory devices. */
const MEMORY_DEVICES = 1

/** Stays what it is: a long text asks for its width at every line. */
const terminals: Partial<Record<0 | 1 | 2, boolean>> = {}
const isTerminal = (fd: 0 | 1 | 2): boolean => (terminals[fd] ??= looksLikeTerminal(fd))

/** A cheap look first, for `node:tty` costs a tenth of a start: what is no character device is no terminal, nor is /dev/null. */
function looksLikeTerminal(fd: 0 | 1 | 2): boolean {
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isCharacterDevice()) return false
    if (process.platform === 'linux' && stat.rdev >> 8 === MEMORY_DEVICES) return false
  } catch {
    return false
  }
  return process.getBuiltinModule('node:tty').isatty(fd)
}

function writeAll(fd: number, text: Said): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for (let done = 0; done < bytes.length;) {
    try {
      done += fs.writeSync(fd, bytes, done)
    } catch (error) {
      onTrouble(error)
    }
  }
}

function readAll(): Buffer {
  return unheard(readToEnd)
}

/** Reads what may wait for a writer. Nothing is done yet, and nobody here hears a signal meanwhile: the system ends the program by it. */
export function unheard(read: () => Buffer): Buffer {
  const heard = (['SIGINT', 'SIGTERM'] as const).map((signal) => ({ signal, by: process.listeners(signal) }))
  for (const { signal } of heard) process.removeAllListeners(signal)
  try {
    return read()
  } finally {
    for (const { signal, by } of heard) for (const each of by) process.on(signal, each)
  }
}

function readToEnd(): Buffer {
  const chunks: Buffer[] = []
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024)
    try {
      const size = fs.readSync(0, chunk)
      if (size === 0) return Buffer.concat(chunks)
      chunks.push(chunk.subarray(0, size))
    } catch (error) {
      if (errnoOf(error) === 'EOF') return Buffer.concat(chunks)
      onTrouble(error)
    }
  }
}

/** A stream that cannot take more now is waited for; one that nobody reads ends the program. */
function onTrouble(error: unknown): void {
  if (errnoOf(error) !== 'EAGAIN') throw troubleOf(error)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
}

/** What is thrown for a stream that takes no more. */
export function troubleOf(error: unknown): Error {
  const code = errnoOf(error)
  if (code === 'EPIPE') return new ReaderGone()
  if (code !== 'ENOSPC') return asError(error)
  return new EngineError('DISK_FULL', 'there is no space for the output', {
    hint: 'free some space where it goes; what was committed stays',
    cause: error,
  })
}

/*
 * Whether anybody reads stdout. A write tells, but a stream may wait for long before it writes; Node has no call for it but
 * the poll of its WASI, which says of a pipe without a reader that it is broken, and of a socket that the other side hung up.
 *
 * R1. Where that poll is missing or changed, somebody reads: the next write will tell.
 */
import * as fs from 'node:fs'

/** Of V8, not of the types of Node. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
}

const STDOUT = 1
const LOOK_MS = 300

/** Aborted when nobody reads a pipe any more. `stop` ends the looking. */
export function readerOf(fd = STDOUT): { readonly gone: AbortSignal; readonly stop: () => void } {
  const left = new AbortController()
  const poll = isPipe(fd) ? pollOf(fd) : undefined
  const timer = poll === undefined ? undefined : setInterval(() => poll() && left.abort(), LOOK_MS).unref()
  return { gone: left.signal, stop: () => clearInterval(timer) }
}

function isPipe(fd: number): boolean {
  try {
    const stat = fs.fstatSync(fd)
    return stat.isFIFO() || stat.isSocket()
  } catch {
    return false
  }
}

/* `poll_oneoff`: subscriptions of 48 bytes in, events of 32 bytes out, the number of events behind them. */
const SUBSCRIPTION = 48
const EVENTS = 1024
const COUNT = 2048
const WRITABLE = 2
const HUNG_UP = 1
const MONOTONIC = 1
const MOST_NS = 1_000_000n

/** True when nobody reads. */
function pollOf(fd: number): (() => boolean) | undefined {
  try {
    const { wasi, memory } = quietly()
    const view = new DataView(memory.buffer)
    // Whether `fd` takes a write, or else a clock, so that a full pipe is not waited for.
    view.setUint8(8, WRITABLE)
    view.setUint32(16, fd, true)
    view.setUint32(SUBSCRIPTION + 16, MONOTONIC, true)
    view.setBigUint64(SUBSCRIPTION + 24, MOST_NS, true)
    const poll = wasi.wasiImport['poll_oneoff']
    return () => {
      if (Reflect.apply(poll as Poll, undefined, [0, EVENTS, 2, COUNT]) !== 0) return false
      const told = Array.from({ length: view.getUint32(COUNT, true) }, (_, i) => EVENTS + i * 32)
      return told.some(
        (at) =>
          view.getUint8(at + 10) === WRITABLE &&
          (view.getUint16(at + 8, true) !== 0 || (view.getUint16(at + 24, true) & HUNG_UP) !== 0),
      )
    }
  } catch {
    return undefined
  }
}

type Poll = (input: number, output: number, count: number, told: number) => number

/** Node warns that it may change, which is provided for (R1). */
function quietly() {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    const { WASI } = process.getBuiltinModule('node:wasi')
    const memory = new WebAssembly.Memory({ initial: 1 })
    const wasi = new WASI({ version: 'preview1' })
    wasi.start({ exports: { memory, _start: () => undefined } })
    return { wasi, memory }
  } finally {
    process.emitWarning = emitWarning
  }
}

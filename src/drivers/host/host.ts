import type { Hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../kernel/ports.ts'
import * as checksums from './checksums.ts'
import { uuid7 } from './uuid.ts'

/** Those of Node, whatever clock a test puts in their place later: a write would wait for it. */
const { setImmediate } = globalThis
const { nextTick } = process

/** Longest that timers and sockets wait for callers who ask again as soon as they are answered. */
const TURN_MS = 4
let turned = 0
let answering = false

function answered(): void {
  if (answering) return
  answering = true
  // Behind everything that the answers wake.
  nextTick(() => (answering = false))
}

/**
 * A trip through the event loop gathers those who ask from their own events, as the requests of a daemon do. Whoever was just
 * answered has none, and would pay for it with each commit.
 */
function defer(task: () => void): void {
  const since = Date.now() - turned
  // A clock that was set back must not keep timers waiting until it has caught up.
  if (answering && since >= 0 && since < TURN_MS) return nextTick(task)
  setImmediate(() => {
    turned = Date.now()
    task()
  })
}

/** Bytes that a process hashes before it is worth its while to load Node's own hashes. */
let small = 64 * 1024
let native: ((bytes: Uint8Array | string) => string) | undefined

function sha256(bytes: Uint8Array | string): string {
  if (native !== undefined) return native(bytes)
  small -= bytes.length
  const known = small > 0 ? checksums.sha256(bytes) : undefined
  if (known !== undefined) return known
  // One-shot hashing is twice as fast as createHash on lines of a log.
  const { hash } = process.getBuiltinModule('node:crypto')
  native = (each) => hash('sha256', each, 'hex')
  return native(bytes)
}

function digest(pieces: Iterable<Uint8Array | string>): string {
  let first: Uint8Array | string | undefined
  let hash: Hash | undefined
  for (const piece of pieces) {
    if (first === undefined) first = piece
    else hash = (hash ?? process.getBuiltinModule('node:crypto').createHash('sha256').update(first)).update(piece)
  }
  return hash?.digest('hex') ?? sha256(first ?? '')
}

/** This machine's clock, randomness and hashing. */
export const host: Host = {
  now: Date.now,
  clock: () => performance.now(),
  newId: () => uuid7(Date.now()),
  sha256,
  digest,
  sum: checksums.xxh32,
  defer,
  answered,
  sleep: (ms, signal) => (signal === undefined ? sleep(ms) : sleep(ms, undefined, { signal }).catch(() => undefined)),
  random: Math.random,
}

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid7 } from './uuid.ts'
import type { Host } from '../../kernel/ports.ts'

/** Longest that timers and sockets wait for tasks that follow one another. */
const TURN_MS = 1
let turned = 0

/** Behind all promises that are settled; a trip through the event loop, which costs more, only every TURN_MS. */
function defer(task: () => void): void {
  if (Date.now() - turned < TURN_MS) return process.nextTick(task)
  setImmediate(() => {
    turned = Date.now()
    task()
  })
}

/** This machine's clock, randomness and hashing. */
export const host: Host = {
  now: Date.now,
  newId: () => uuid7(Date.now()),
  // One-shot hashing is twice as fast as createHash on lines of a log.
  sha256: (bytes) => hash('sha256', bytes, 'hex'),
  defer,
  sleep: (ms) => sleep(ms),
  random: Math.random,
}

/*
 * The courtesy lock: racing writers take turns, so that their work is not decided in vain (L6).
 *
 *   nobody else seen lately ──► go on at once, no lock
 *   company ──► make the file `turn` ──► catch up, write ──► remove it
 *                  │ there already: wait in short naps; too old or too long: take it over, go on anyway
 *
 * Nothing depends on it. Broken, stale or held twice, the chain still decides who won.
 */
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Turn } from '../../kernel/ports.ts'
import { PRIVATE_FILE } from './durable.ts'
import { errnoOf } from './failure.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants
/** Turns to take after somebody else was met. */
const WARY = 256
const NAP_MS = 0.1
const BLOCKING_MS = 2
const STALE_MS = 100
const PATIENCE_MS = 250

const FREE: Turn = { release: () => undefined }
const cell = new Int32Array(new SharedArrayBuffer(4))

export class Turnstile {
  readonly #file: string
  #wary = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Somebody else writes to this session, too. */
  met(): void {
    this.#wary = WARY
  }

  async take(): Promise<Turn> {
    if (this.#wary === 0) return FREE
    this.#wary--
    const began = performance.now()
    for (;;) {
      if (this.#make()) return { release: () => this.#remove() }
      const waited = performance.now() - began
      if (waited > PATIENCE_MS) return FREE
      if (this.#stale()) this.#remove()
      else if (waited < BLOCKING_MS) Atomics.wait(cell, 0, 0, NAP_MS)
      else await sleep(1)
    }
  }

  #make(): boolean {
    try {
      fs.closeSync(fs.openSync(this.#file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE))
      return true
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      // A full disk or a read-only folder: the append will say so.
      return true
    }
  }

  #stale(): boolean {
    const stat = fs.lstatSync(this.#file, { throwIfNoEntry: false })
    return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > STALE_MS
  }

  #remove(): void {
    try {
      fs.unlinkSync(this.#file)
    } catch {
      // Taken over by somebody who found it stale.
    }
  }
}

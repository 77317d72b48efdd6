/*
 * The courtesy lock (L6): writers race, and whoever keeps losing asks the others to let it pass.
 *
 *   losses 0–11 ──► is there a file `turn`? ── no ──► go on
 *                       │ yes: nap until it goes, grows stale, or patience ends
 *   losses 12+ ──► make the file `turn` ──► catch up, write ──► remove it
 *
 * Small commits hardly ever lose, since a writer looks again right before it writes; a large one among many small ones
 * would lose for ever. Making and removing a file waits for the journal of the disk, so it is left to those who need it.
 * Nothing depends on it: broken, stale or held twice, the chain still decides who won.
 */
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Turn } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { PRIVATE_FILE } from './durable.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants
const LOSSES = 12
/** Appends during which to look for the file after somebody else was met. */
const WARY = 256
const NAP_MS = 0.1
const BLOCKING_MS = 1
const STALE_MS = 100
const PATIENCE_MS = 150

let cell: Int32Array<SharedArrayBuffer> | undefined
const FREE: Turn = { release: () => undefined }

export class Turnstile {
  readonly #file: string
  #wary = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Nobody else was met lately. */
  get isAlone(): boolean {
    return this.#wary === 0
  }

  /** Somebody else writes to this session, too. */
  met(): void {
    this.#wary = WARY
  }

  take(losses: number): Turn | Promise<Turn> {
    if (this.#wary === 0) return FREE
    this.#wary--
    return losses < LOSSES && this.#gone() ? FREE : this.#wait(losses)
  }

  async #wait(losses: number): Promise<Turn> {
    const wanted = losses >= LOSSES
    const began = performance.now()
    while (!(wanted ? this.#make() : this.#gone())) {
      const waited = performance.now() - began
      if (waited > PATIENCE_MS) return FREE
      if (this.#stale()) this.#remove()
      else if (waited < BLOCKING_MS) Atomics.wait((cell ??= new Int32Array(new SharedArrayBuffer(4))), 0, 0, NAP_MS)
      else await sleep(1)
    }
    return wanted ? { release: () => this.#remove() } : FREE
  }

  #gone(): boolean {
    return fs.lstatSync(this.#file, { throwIfNoEntry: false }) === undefined
  }

  #make(): boolean {
    try {
      fs.closeSync(fs.openSync(this.#file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE))
      return true
    } catch (error) {
      // A full disk or a read-only folder: the append will say so.
      return errnoOf(error) !== 'EEXIST'
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

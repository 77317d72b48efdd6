/*
 * Whether a group is decided while the one before it is on its way to the disk.
 *
 *   one by one   decide 64 ──► sync ──► answer                decide 64 ──► …
 *   overlapped   decide 32 ──► sync ·······► answer           decide 32 ──► …
 *                         └──► decide 32 ──► sync ·······► answer
 *
 * V1. It pays where to decide a group takes longer than to make it durable: then the next one is half of those who wait.
 *     Two syncs of half as much take less than one, and the time in which nothing is decided.
 * V2. It pays no more when the disk is waited for longer than the group before took to decide, several times in a row: who
 *     comes meanwhile is better made durable by one sync. Halves would get half as much through.
 */
import type { Host } from '../ports.ts'

/** Fewer requests are decided faster than any disk syncs: not worth looking at a clock. */
const MANY = 8
/** So many in a row tell of a slow disk; fewer, of a slow moment. */
const LATE = 4

export class Overlap {
  readonly #clock: Host['clock']
  readonly #isPossible: boolean
  #pays = false
  #isTimed = false
  #late = 0
  /** When the last group was begun, decided, and when there was nothing left to decide. */
  #begun = 0
  #decided = 0
  #rested = 0

  constructor(clock: Host['clock'], isPossible: boolean) {
    this.#clock = clock
    this.#isPossible = isPossible
  }

  get pays(): boolean {
    return this.#pays
  }

  /** V1: of so many that wait, how many make the next group. */
  share(waiting: number, isUnderWay: boolean): number {
    return this.#pays && !isUnderWay ? Math.ceil(waiting / 2) : waiting
  }

  begin(requests: number): void {
    this.#isTimed = this.#isPossible && (this.#pays || requests >= MANY)
    if (this.#isTimed) this.#begun = this.#clock()
  }

  decided(): void {
    if (this.#isTimed) this.#decided = this.#clock()
  }

  /** V1: the group is durable, and nothing was done meanwhile. */
  waited(): void {
    if (!this.#isTimed) return
    this.#late = 0
    this.#pays = this.#took > this.#clock() - this.#decided
  }

  /** There is nothing left to decide. */
  rest(): void {
    if (this.#pays) this.#rested = this.#clock()
  }

  /** V2: a group that was on its way is durable. */
  landed(isResting: boolean): void {
    if (!this.#pays) return
    const isLate = isResting && this.#took < this.#clock() - this.#rested
    this.#late = isLate ? this.#late + 1 : 0
    this.#pays = this.#late < LATE
  }

  get #took(): number {
    return this.#decided - this.#begun
  }
}

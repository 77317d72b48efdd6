/** A sync shorter than this is waited for where it stands: a trip through the thread pool costs more than it frees. */
const LONG_MS = 1
/** Among many writers most of the time is waiting for a processor, which the trip makes longer. */
const CROWDED_MS = 2
/** So many long syncs more than short ones tell of a slow disk; fewer, of a slow moment. */
const SLOW = 4
const MOST = 2 * SLOW

/**
 * Measures syncs and says how to do the next one. They are counted, not averaged: one that takes a hundred times as long
 * weighs like one that takes twice as long, and a moment that made all of them long is forgotten as fast as it came.
 */
export class SyncGauge {
  #long = 0
  #beside = 0
  #limit = LONG_MS

  blocking(isAlone: boolean): boolean {
    this.#limit = isAlone ? LONG_MS : CROWDED_MS
    return this.#long < SLOW && this.#beside === 0
  }

  note(ms: number): void {
    this.#long = ms < this.#limit ? Math.max(0, this.#long - 1) : Math.min(MOST, this.#long + 1)
  }

  /** While much is written on another thread, any sync may take as long as that: none is waited for where it stands. */
  async beside<T>(much: Promise<T>): Promise<T> {
    this.#beside++
    try {
      return await much
    } finally {
      this.#beside--
    }
  }

  time(task: () => void): void {
    // `performance` is loaded on use, which a command that writes once would pay for.
    const began = process.hrtime.bigint()
    task()
    this.note(Number(process.hrtime.bigint() - began) / 1e6)
  }
}

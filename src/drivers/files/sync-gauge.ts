/** While a sync is shorter than this, blocking costs less than a trip through the thread pool. */
const BLOCKING_MS = 0.3
/** Among many writers most of that time is waiting for a processor, which the trip makes longer. */
const CROWDED_MS = 2
const WEIGHT = 0.2
/** A slow disk is asked again now and then whether it has become fast. */
const RETRY = 64

/** Measures syncs and says how to do the next one. */
export class SyncGauge {
  #average = 0
  #calls = 0
  #limit = BLOCKING_MS

  blocking(isAlone: boolean): boolean {
    this.#limit = isAlone ? BLOCKING_MS : CROWDED_MS
    return this.#average < this.#limit || ++this.#calls % RETRY === 0
  }

  note(ms: number): void {
    // One long sync among short ones says little.
    const sample = Math.min(ms, 4 * this.#limit)
    this.#average += WEIGHT * (sample - this.#average)
  }

  time(task: () => void): void {
    // `performance` is loaded on use, which a command that writes once would pay for.
    const began = process.hrtime.bigint()
    task()
    this.note(Number(process.hrtime.bigint() - began) / 1e6)
  }
}

import type { Worker } from '../kernel/work/worker.ts'

/** Before a lease ends its workers have to be gone: time for SIGTERM, SIGKILL two seconds later, and rounding. */
const MARGIN_MS = 5000

/** How long the workers of one runner may go on: a little less than its lease, and more whenever that is renewed. */
export class Bound {
  readonly #now: () => number
  readonly #workers = new Set<Worker>()
  #until = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds from now. */
  get left(): number {
    return this.#until - this.#now()
  }

  renewed(at: number, ttl_ms: number): void {
    this.#until = at + ttl_ms - MARGIN_MS
    for (const worker of this.#workers) worker.extend(this.left)
  }

  /** The answer lets go of the worker. */
  watch(worker: Worker): () => void {
    this.#workers.add(worker)
    worker.extend(this.left)
    return () => void this.#workers.delete(worker)
  }
}

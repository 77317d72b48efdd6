import type { Reader } from '../ports.ts'

interface Ends {
  readonly signal: AbortSignal | undefined
  /** Bells that are in use; whoever holds them can end them. */
  readonly among: Set<Bell>
}

/** Rings when a log may have grown. */
export class Bell {
  readonly #ends: Ends
  readonly #unwatch: () => void
  #pending = false
  #wake: (() => void) | undefined
  #over = false

  constructor(reader: Reader, session: string, ends: Ends) {
    // Apart, or Node would warn of a signal that more than ten follow.
    const signal = ends.signal === undefined ? undefined : AbortSignal.any([ends.signal])
    this.#ends = { ...ends, signal }
    ends.among.add(this)
    this.#unwatch = reader.log.watch(session, () => this.#ring())
    signal?.addEventListener('abort', this.end)
    // An event that is past does not come again.
    if (signal?.aborted === true) this.end()
  }

  /** It rings once more and tells that it was the last time. Who reads may never ask again, so it watches no longer. */
  readonly end = () => {
    this.#over = true
    this.#ring()
    this.stop()
  }

  #ring(): void {
    this.#pending = true
    this.#wake?.()
  }

  /** False when it will ring no more. */
  async rung(): Promise<boolean> {
    if (!this.#pending) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#pending = false
    return !this.#over
  }

  stop(): void {
    this.#unwatch()
    this.#ends.signal?.removeEventListener('abort', this.end)
    this.#ends.among.delete(this)
  }
}

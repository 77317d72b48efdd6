import type { Kernel } from './kernel.ts'

/** Rings when a log may have grown. */
export class Bell {
  readonly #signal: AbortSignal | undefined
  readonly #unwatch: () => void
  #pending = false
  #wake: (() => void) | undefined
  #over = false

  constructor(kernel: Kernel, session: string, signal: AbortSignal | undefined) {
    this.#signal = signal
    this.#unwatch = kernel.log.watch(session, () => this.#ring())
    signal?.addEventListener('abort', this.end)
    // An event that is past does not come again.
    if (signal?.aborted === true) this.end()
  }

  /** It rings once more and tells that it was the last time. */
  readonly end = () => {
    this.#over = true
    this.#ring()
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
    this.#signal?.removeEventListener('abort', this.end)
  }
}

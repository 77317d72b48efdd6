import type { RelayEvent } from './link.ts'

/** Events that come live, taken in together. */
export class Inbox {
  readonly #take: (events: readonly RelayEvent[]) => Promise<number>
  #events: RelayEvent[] = []
  #wake: (() => void) | undefined

  constructor(take: (events: readonly RelayEvent[]) => Promise<number>) {
    this.#take = take
  }

  add(event: RelayEvent): void {
    this.#events.push(event)
    this.#wake?.()
  }

  /** Resolves when there is something in it. */
  full(): Promise<void> {
    if (this.#events.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Answers how many were new. */
  empty(): Promise<number> {
    const events = this.#events
    this.#events = []
    return this.#take(events)
  }
}

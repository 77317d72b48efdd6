interface Passed<T> {
  readonly value: T
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Hands values from one that pushes to one that pulls; `pass` waits until the value was done with. */
export class Channel<T> implements AsyncIterable<T> {
  #waiting: Passed<T> | undefined
  #current: Passed<T> | undefined
  #wake: () => void = () => undefined
  #ended = false
  #failure: { readonly error: unknown } | undefined

  pass(value: T): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    return new Promise((done, failed) => {
      this.#waiting = { value, done, failed }
      this.#wake()
    })
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#waiting?.failed(error)
    this.#current?.failed(error)
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error
      const waiting = this.#waiting
      this.#waiting = undefined
      if (waiting !== undefined) {
        this.#current = waiting
        yield waiting.value
        this.#current = undefined
        waiting.done()
      } else if (this.#ended) return
      else
        await new Promise<void>((wake) => {
          this.#wake = wake
        })
    }
  }
}

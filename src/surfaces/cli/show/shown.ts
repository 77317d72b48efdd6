import { asError } from '../../../kernel/error.ts'
import { ReaderGone } from './io.ts'

/** Where nobody reads any more, as behind `| head`, the work goes on, watched, and is shown no more. */
export class Shown {
  #trouble: Error | undefined

  show(print: () => void): void {
    if (this.#trouble !== undefined) return
    try {
      print()
    } catch (error) {
      this.met(asError(error))
    }
  }

  met(trouble: Error): void {
    this.#trouble ??= trouble
  }

  /** Once the work is over: throws what kept it from being shown, such as a full disk. */
  end(): void {
    if (this.#trouble !== undefined && !(this.#trouble instanceof ReaderGone)) throw this.#trouble
  }
}

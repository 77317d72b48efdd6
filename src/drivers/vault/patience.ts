import { EngineError } from '../../kernel/error.ts'

/** How long a place may say nothing before it is given up, in ms. */
export const PATIENCE_MS = 60_000

/** Bytes in a millisecond: what is sent lies in buffers on the way, and nobody hears how far it got. */
const SLOWEST = 16

export const patienceFor = (ms: number, sent: number): number => ms + sent / SLOWEST

/** Calls back once nothing was heard for that long. */
export class Silence {
  readonly #timer: NodeJS.Timeout

  constructor(ms: number, tooLong: () => void) {
    this.#timer = setTimeout(tooLong, ms)
  }

  heard(): void {
    this.#timer.refresh()
  }

  over(): void {
    clearTimeout(this.#timer)
  }
}

/** `what` without its secrets. */
export const silent = (what: string, ms: number): EngineError =>
  new EngineError(
    'STORE_UNAVAILABLE',
    `${what} accepted the connection, and said nothing for ${Number((ms / 1000).toFixed(1))} s`,
    {
      hint: 'nobody knows whether it took what was sent: when it answers again, the same command goes on',
      details: { silent_ms: ms },
    },
  )

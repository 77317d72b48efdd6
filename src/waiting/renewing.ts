/* A lease that is renewed for as long as its holder wants it. */
import { failure } from '../kernel/decision.ts'
import { asError } from '../kernel/error.ts'
import type { Answer } from '../kernel/operation/answer.ts'

export interface Renewal {
  readonly ttl_ms: number
  /** When it was asked for: it lasts at least from then. Milliseconds since 1970, as what follows. */
  readonly asked: number
  /** By the clock of the store. */
  readonly now: () => number
  readonly renew: () => Promise<Answer>
  /** Is told since when it lasts anew. */
  readonly renewed?: (asked: number) => void
  readonly lost: (why: Error) => void
}

export interface Renewing {
  readonly timer: NodeJS.Timeout
  /** Waits for a renewal under way. */
  stop(): Promise<void>
}

/** Three times within its time: one that fails is no loss. */
export function renewing({ ttl_ms, asked, now, renew, renewed, lost }: Renewal): Renewing {
  let good = asked
  let last: Promise<void> = Promise.resolve()
  const again = async (): Promise<void> => {
    const began = now()
    try {
      const answer = await renew()
      if (answer.kind === 'refused') return lost(failure(answer))
      good = began
      renewed?.(began)
    } catch (error) {
      // A store that does not answer for a while is no loss; one that does not until the lease is over is.
      if (now() - good > ttl_ms) lost(asError(error))
    }
  }
  const timer = setInterval(() => void (last = again()), ttl_ms / 3)
  const stop = (): Promise<void> => {
    clearInterval(timer)
    return last
  }
  return { timer, stop }
}

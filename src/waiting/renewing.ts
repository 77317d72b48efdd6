/* A lease that is renewed for as long as its holder wants it. */
import { failure } from '../kernel/decision.ts'
import { asError, EngineError } from '../kernel/error.ts'
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

const TIMES = 3

/** Three times within its time: one that fails is no loss, nor is one that the store leaves unanswered for less than that. */
export function renewing({ ttl_ms, asked, now, renew, renewed, lost }: Renewal): Renewing {
  let good = asked
  let last: Promise<void> = Promise.resolve()
  let unanswered = 0
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
    } finally {
      unanswered = 0
    }
  }
  const timer = setInterval(() => {
    // Turns are counted, too: one that was stopped, and goes on, gets the answer first.
    if (unanswered++ === 0) last = again()
    else if (unanswered > TIMES && now() - good > ttl_ms) lost(silent(ttl_ms))
  }, ttl_ms / TIMES)
  const stop = (): Promise<void> => {
    clearInterval(timer)
    return last
  }
  return { timer, stop }
}

const silent = (ttl_ms: number): EngineError =>
  new EngineError(
    'LEASE_LOST',
    `the store has left a renewal unanswered for the ${ttl_ms} ms that it would have lasted`,
    {
      hint: 'see that the store can be reached, then begin again',
    },
  )

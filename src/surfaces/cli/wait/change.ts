import type { Session } from '../../../kernel/session.ts'
import type { Context } from '../context/context.ts'

/** Time alone wakes nobody more often: what it changes may be told by another operation. */
const LEAST_MS = 100

/** What is left of `ms`, by a clock that nobody sets: a wait does not grow where the time of day is set back. */
export function countdown(ms: number): () => number {
  const end = performance.now() + ms
  return () => end - performance.now()
}

/** Until somebody writes to the session, or for so many milliseconds. */
export async function changed({ signal: stop }: Context, session: Session, within: number): Promise<void> {
  const late = AbortSignal.timeout(Math.ceil(Math.max(LEAST_MS, within)))
  const signal = AbortSignal.any([late, stop])
  for await (const _ of session.commits({ after: session.seq, live: true, signal })) break
  await session.refresh()
}

import type { Session } from '../../kernel/session.ts'
import type { Context } from './context.ts'

/** Time alone wakes nobody more often: what it changes may be told by another operation. */
const LEAST_MS = 100

/** Until somebody writes to the session, or the moment `wake` (ms since 1970) has come. */
export async function changed({ signal: stop }: Context, session: Session, wake: number): Promise<void> {
  const late = AbortSignal.timeout(Math.max(LEAST_MS, wake - Date.now()))
  const signal = AbortSignal.any([late, stop])
  for await (const _ of session.commits({ after: session.seq, live: true, signal })) break
  await session.refresh()
}

/* What whoever waits sleeps on: something that others write, or the time when something is over. */
import { closed, type EngineError } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'

/** Time alone wakes nobody more often: what it changes may be told by another operation. */
const LEAST_MS = 100
/** Where time changes something and nobody writes, it is looked at again so often. */
export const LOOK_MS = 10_000

/** What is left of `ms`, by a clock that nobody sets: a wait does not grow where the time of day is set back. */
export function countdown(ms: number): () => number {
  const end = performance.now() + ms
  return () => end - performance.now()
}

/** Until somebody writes to the session, for so many milliseconds, or until `stop` aborts. */
export async function changed(session: Session, within: number, stop: AbortSignal): Promise<void> {
  const late = new AbortController()
  // Not AbortSignal.timeout: its timer would let a process end that does nothing but wait.
  const timer = setTimeout(() => late.abort(), Math.ceil(Math.max(LEAST_MS, within)))
  const signal = AbortSignal.any([late.signal, stop])
  try {
    for await (const _ of session.commits({ after: session.seq, live: true, signal })) break
  } finally {
    clearTimeout(timer)
  }
  await session.refresh()
}

/** Waits under a signal that also aborts when the session is closed, which waits for what that leads to. */
export async function whileOpen<Value>(
  session: Session,
  stop: AbortSignal | undefined,
  wait: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const closing = new AbortController()
  const waiting = wait(stop === undefined ? closing.signal : AbortSignal.any([stop, closing.signal]))
  const leave = async (): Promise<void> => {
    closing.abort(closed(`session ${session.id}`))
    await waiting.catch(() => undefined)
  }
  session.leaving.add(leave)
  try {
    return await waiting
  } finally {
    session.leaving.delete(leave)
  }
}

export interface Search<Value> {
  /** Undefined while there is nothing. */
  readonly look: () => Promise<Value | undefined>
  /** Milliseconds since 1970: when time alone may bring it. */
  readonly due: () => number
  readonly late: () => EngineError
}

/** Looks again whenever somebody has written, for as long as is wanted. */
export function search<Value>(
  session: Session,
  { wait_ms = Infinity, signal }: { readonly wait_ms?: number | undefined; readonly signal?: AbortSignal | undefined },
  { look, due, late }: Search<Value>,
): Promise<Value> {
  return whileOpen(session, signal, async (until) => {
    const left = countdown(wait_ms)
    for (;;) {
      until.throwIfAborted()
      const found = await look()
      if (found !== undefined) return found
      if (left() <= 0) throw late()
      await changed(session, Math.min(left(), LOOK_MS, due() - session.now()), until)
    }
  })
}

/** The first deadline of a heap that a module keeps at `path`. */
export function firstDue(session: Session, path: string): number {
  const first: unknown = session.get(`${path}.slots['0'][0]`)
  return typeof first === 'number' ? first : Infinity
}

/** Writers on several hosts, as far as a store can tell: each has connections and a state of its own. */
import { makeKernel, makeWorkspace } from '../../src/compose.ts'
import type { Log } from '../../src/kernel/ports.ts'
import type { Session } from '../../src/kernel/session.ts'

export const workspaceOn = (log: Log) => makeWorkspace(makeKernel({ log, settings: { checkpoints: false } }))

export interface Written {
  /** Keys of what was acknowledged. */
  readonly acknowledged: ReadonlySet<string>
  /** Failed, and why: in the log or not. */
  readonly unsure: ReadonlyMap<string, unknown>
}

/** Each writer sets values, one after the other, until `isOver`. What fails is tried anew with another key. */
export async function write(
  sessions: readonly Session[],
  isOver: () => boolean,
  acknowledge: () => void,
): Promise<Written> {
  const [acknowledged, unsure] = [new Set<string>(), new Map<string, unknown>()]
  const one = async (session: Session, who: number) => {
    for (let n = 0; !isOver(); n++) {
      const key = `${who}-${n}`
      const input = { path: `$.data.w${who}`, value: n }
      const answer = await session.run('state.set', input, { key }).catch((error: unknown) => error)
      if (typeof answer === 'object' && answer !== null && 'kind' in answer) {
        acknowledged.add(key)
        acknowledge()
      } else unsure.set(key, answer)
    }
  }
  await Promise.all(sessions.map(one))
  return { acknowledged, unsure }
}

/** Sequence numbers that a consumer sees, from the first on, until it is stopped. */
export function consume(session: Session) {
  const stop = new AbortController()
  const seen: number[] = []
  const reading = (async () => {
    while (!stop.signal.aborted) {
      try {
        for await (const { seq } of session.commits({ after: seen.length, live: true, signal: stop.signal }))
          seen.push(seq)
      } catch {
        // The store was away for too long: it goes on from where it stands.
      }
    }
  })()
  return { seen, stop: () => (stop.abort(), reading) }
}

/** Key -> how often it is in the log. */
export async function keysIn(session: Session): Promise<ReadonlyMap<string, number>> {
  const keys = new Map<string, number>()
  for await (const { key } of session.commits()) if (key !== undefined) keys.set(key, (keys.get(key) ?? 0) + 1)
  return keys
}

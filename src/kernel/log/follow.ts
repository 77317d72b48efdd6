/*
 * The commits of a log as they come, whatever becomes of it.
 *
 * F1. Where another log took the place of the one that is followed, by a repair or a pull, what comes behind that is followed.
 * F2. A log that cannot be read is tried again, until there is no such session: somebody may be writing to its file in
 *     place, or about to repair it.
 */
import type { Position, Reader } from '../ports.ts'
import type { Commit } from './commit.ts'
import { commitsOf } from './commits.ts'

/** Before a log is tried again (F2); twice as long each time, up to the longest. */
const PAUSE_MS = 1000
const LONGEST_MS = 60_000

export interface Following {
  readonly id: string
  /** Sequence number to start behind. */
  readonly after: number
  /** Where to begin to read: there, or before it. */
  readonly place: () => Promise<Position>
  /**
   * Asked when the log could not be read: where it stands if it is another one now, which is followed from there (F1); else
   * undefined. Throws where there is no such session any more.
   */
  readonly replaced: () => Promise<Position | undefined>
  readonly signal: AbortSignal
}

/** Ends when `signal` aborts. */
export async function* follow(
  reader: Reader,
  { id, after, place, replaced, signal }: Following,
): AsyncGenerator<Commit, void, undefined> {
  let last = after
  let position: Position | (() => Promise<Position>) = place
  const passed = (end: Position) => {
    position = end
  }
  for (let pause = PAUSE_MS; !signal.aborted;) {
    try {
      for await (const commit of commitsOf(reader, id, { after: last, live: true, signal }, { position, passed })) {
        last = commit.seq
        pause = PAUSE_MS
        yield commit
      }
      return
    } catch {
      // What became of it is asked below.
    }
    let other = await replaced()
    if (other === undefined) {
      await reader.host.sleep(pause, signal)
      pause = Math.min(2 * pause, LONGEST_MS)
      // It may be another one since: behind the commits of this one there would be nothing to wait for.
      other = await replaced()
    }
    if (other === undefined) continue
    position = other
    last = other.seq
  }
}

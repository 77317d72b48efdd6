/* K5: who would wait for whom. */
import type { LockMode, LocksSlice } from './events.ts'
import { isWithin, recordOf } from './locks.ts'

/** One edge of a loop: `holder` waits for `resource`, which `blocker` holds or will get before it. */
export interface Wait {
  readonly holder: string
  readonly resource: string
  readonly blocker: string
}

interface Asked {
  readonly holder: string
  readonly resource: string
  readonly mode: LockMode
}

/** The loop that a new wait would close, beginning with it; undefined when there is none. */
export function loopOf(slice: LocksSlice | undefined, asked: Asked): readonly Wait[] | undefined {
  const waits = waitsOf(slice)
  const seen = new Set<string>()
  const open: (readonly Wait[])[] = edges(slice, asked).map((edge) => [edge])
  // Breadth first: the shortest loop is the one that is easiest to understand.
  for (let way = open.shift(); way !== undefined; way = open.shift()) {
    const { blocker = '' } = way.at(-1) ?? {}
    if (isWithin(asked.holder, blocker)) return way
    if (seen.has(blocker)) continue
    seen.add(blocker)
    for (const next of waits) {
      // What is inside it must end before it does.
      if (isWithin(next.holder, blocker)) for (const edge of edges(slice, next)) open.push([...way, edge])
    }
  }
  return undefined
}

/** Everything that anybody waits for. */
const waitsOf = (slice: LocksSlice | undefined): readonly Asked[] =>
  Object.values(slice?.resources ?? {}).flatMap(({ resource, queue }) =>
    queue.map(({ holder, mode }) => ({ holder, resource, mode })),
  )

/** Those who must be done before a request gets its turn; those who are queued behind it need not be. */
function edges(slice: LocksSlice | undefined, { holder, resource, mode }: Asked): readonly Wait[] {
  const { holders, queue } = recordOf(slice, resource)
  const own = queue.findIndex((waiter) => waiter.holder === holder)
  const ahead = own < 0 ? queue : queue.slice(0, own)
  return [...holders, ...ahead]
    .filter((other) => !isWithin(holder, other.holder) && (mode === 'exclusive' || other.mode === 'exclusive'))
    .map(({ holder: blocker }) => ({ holder, resource, blocker }))
}

export const loopText = (loop: readonly Wait[]): string =>
  loop.map(({ holder, resource, blocker }) => `${holder} waits for "${resource}" of ${blocker}`).join(', ')

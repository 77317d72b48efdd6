/** From where and up to where a log is asked for; a time lies between commits, and may lie before the first. */
import type { Commit } from './commit.ts'
import { EngineError } from './error.ts'
import { isTime } from './history.ts'
import type { Session } from './session.ts'

/** The last commit that a lower bound leaves out. */
export const lastBefore = async (session: Session, since: string): Promise<number> =>
  isTime(since) ? lastBy(session, since) : Math.max(0, (await session.resolve(since)) - 1)

/** 0 where the session began after that time. */
export async function lastBy(session: Session, point: string): Promise<number> {
  try {
    return await session.resolve(point)
  } catch (error) {
    if (isTime(point) && error instanceof EngineError && error.code === 'POINT_NOT_FOUND') return 0
    throw error
  }
}

interface Latest {
  readonly after: number
  readonly until: number
  readonly most: number
  readonly fits: (commit: Commit) => boolean
}

/** Commits that are read at once. */
const STRETCH = 10_000

/**
 * The last commits behind `after`, up to `until`, that fit, oldest first. Read from the end, in stretches that grow while
 * little fits.
 */
export async function latestOf(
  commits: (after: number, until: number) => AsyncIterable<Commit>,
  { after, until, most, fits }: Latest,
): Promise<readonly Commit[]> {
  const stretches: Commit[][] = []
  let missing = most
  let end = until
  for (let step = most; end > after && missing > 0; step = Math.min(2 * step, STRETCH)) {
    const stretch: Commit[] = []
    const before = Math.max(after, end - step)
    for await (const commit of commits(before, end)) if (fits(commit)) stretch.push(commit)
    stretches.unshift(stretch)
    missing -= stretch.length
    end = before
  }
  const found = stretches.flat()
  return found.slice(Math.max(0, found.length - most))
}

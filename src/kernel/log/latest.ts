import type { Commit } from './commit.ts'

export interface Latest {
  readonly after: number
  readonly until: number
  readonly most: number
  readonly fits: (commit: Commit) => boolean
}

/** Reads a range of a log, in order. */
export type Range = (after: number, until: number) => AsyncIterable<Commit>

/** Most commits that are read at once. */
const STRETCH = 10_000
const GROWTH = 4

/**
 * The last commits behind `after`, up to `until`, that fit, oldest first. Read from the end, in stretches that grow while
 * little fits.
 */
export async function latestOf(commits: Range, { after, until, most, fits }: Latest): Promise<readonly Commit[]> {
  const stretches: Commit[][] = []
  let missing = most
  let end = until
  for (let step = most; end > after && missing > 0; step = Math.min(GROWTH * step, STRETCH)) {
    const stretch: Commit[] = []
    const before = Math.max(after, end - step)
    for await (const commit of commits(before, end)) if (fits(commit) && stretch.push(commit) > missing) stretch.shift()
    stretches.unshift(stretch)
    missing -= stretch.length
    end = before
  }
  return stretches.flat()
}

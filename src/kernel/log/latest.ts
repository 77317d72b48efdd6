import type { Commit } from './commit.ts'

export interface Latest {
  readonly after: number
  readonly until: number
  readonly most: number
  readonly fits: (commit: Commit) => boolean
  /** Once two or more of those that were found have more characters than these together, no other is looked for. */
  readonly room?: number
}

/** Reads a range of a log, in order. */
export type Range = (after: number, until: number) => AsyncIterable<Commit>

/** Most commits that are read at once. */
const STRETCH = 10_000
const GROWTH = 4

export const charactersOf = ({ events }: Commit): number => JSON.stringify(events).length

/**
 * The last commits behind `after`, up to `until`, that fit, oldest first. Read from the end, in stretches that grow while
 * little fits.
 */
export async function latestOf(commits: Range, { after, until, most, fits, room }: Latest): Promise<readonly Commit[]> {
  const stretches: (readonly Commit[])[] = []
  let missing = most
  let left = room ?? Infinity
  let end = until
  for (let step = most; end > after && missing > 0; step = Math.min(GROWTH * step, STRETCH)) {
    const before = Math.max(after, end - step)
    const stretch = new Stretch(missing, left)
    for await (const commit of commits(before, end)) if (fits(commit)) stretch.add(commit)
    stretches.unshift(stretch.commits)
    missing -= stretch.commits.length
    left -= stretch.characters
    if (left < 0) missing = Math.min(missing, stretches.flat().length > 1 ? 0 : 1)
    end = before
  }
  return stretches.flat()
}

/** The last of those that are added. */
class Stretch {
  readonly commits: Commit[] = []
  readonly #sizes: number[] = []
  readonly #most: number
  readonly #room: number
  characters = 0

  constructor(most: number, room: number) {
    this.#most = most
    this.#room = room
  }

  add(commit: Commit): void {
    // It costs as much as to send it.
    const size = this.#room === Infinity ? 0 : charactersOf(commit)
    this.commits.push(commit)
    this.#sizes.push(size)
    this.characters += size
    while (this.commits.length > this.#most || this.#isFull()) {
      this.commits.shift()
      this.characters -= this.#sizes.shift() ?? 0
    }
  }

  /** One more than there is room for tells that there are others. */
  #isFull(): boolean {
    return this.commits.length > 2 && this.characters - (this.#sizes[0] ?? 0) > this.#room
  }
}

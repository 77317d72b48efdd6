/*
 * The last values of a path: the log is long, and a value may be large, so only what is asked for is ever made a copy of.
 */
import type { Kernel } from '../kernel.ts'
import type { Commit } from '../log/commit.ts'
import { authorOf, changesOf, MOST_TEXT, textOf, valueData, valueOf, type ValueData } from './blame.ts'

interface Asked {
  readonly path: string
  /** Commit up to which it is told. */
  readonly until: number
  /** At most so many; fewer where they are large, but at least one. */
  readonly count: number
}

interface Last {
  /** Oldest first. */
  readonly values: readonly ValueData[]
  /** How many there were before. */
  readonly earlier: number
}

interface Kept {
  readonly commit: Commit
  /** Undefined for what later commits change in place. */
  readonly text: string | undefined
}

export async function lastValues(kernel: Kernel, session: string, { path, until, count }: Asked): Promise<Last> {
  const met: Kept[] = []
  let total = 0
  let length = 0
  for await (const { commit, value } of changesOf(kernel, session, path, until)) {
    total++
    const isContainer = typeof value === 'object' && value !== null
    met.push({ commit, text: isContainer ? undefined : textOf(value) })
    length += lengthOf(met.at(-1))
    while (met.length > count || (length > MOST_TEXT && met.length > 1)) length -= lengthOf(met.shift())
  }
  const [first, last] = [met[0]?.commit.seq ?? 0, met.at(-1)?.commit.seq ?? 0]
  const isWhole = met.every(({ text }) => text !== undefined)
  const kept = isWhole ? met : await copied(changesOf(kernel, session, path, last), first)
  const values = kept.map(({ commit, text = '' }) => ({ ...authorOf(commit), ...valueData(valueOf(text)) }))
  return { values, earlier: total - values.length }
}

const lengthOf = (kept: Kept | undefined): number => kept?.text?.length ?? 0

async function copied(changes: ReturnType<typeof changesOf>, first: number): Promise<readonly Kept[]> {
  const kept: { readonly commit: Commit; readonly text: string }[] = []
  let length = 0
  for await (const { commit, value } of changes) {
    if (commit.seq < first) continue
    const text = textOf(value)
    kept.push({ commit, text })
    length += text.length
    while (length > MOST_TEXT && kept.length > 1) length -= lengthOf(kept.shift())
  }
  return kept
}

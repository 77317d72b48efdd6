/** Who changed which paths between two commits: one pass over the log. */
import type { Commit } from './commit.ts'
import { replaying } from './edit.ts'
import { fold } from './fold.ts'
import { commitsAfter } from './history.ts'
import type { Kernel } from './kernel.ts'
import type { Tree } from './module.ts'
import { getAt, type Keys } from './path.ts'

export interface Attribution {
  readonly commits: number
  /** Commits by actor, busiest first. */
  readonly actors: Readonly<Record<string, number>>
  /** For each path the commit that changed it last; undefined when nothing in the range did. */
  readonly last: readonly (Commit | undefined)[]
}

interface Range {
  /** The commit before the first that counts. */
  readonly from: number
  readonly to: number
  readonly paths: readonly Keys[]
}

export async function attribute(kernel: Kernel, session: string, { from, to, paths }: Range): Promise<Attribution> {
  const tree: Tree = {}
  const last: (Commit | undefined)[] = paths.map(() => undefined)
  const texts: (string | undefined)[] = []
  const counts = new Map<string, number>()
  const look = (commit: Commit | undefined) =>
    paths.forEach((path, i) => {
      const text = JSON.stringify(getAt(tree, path))
      if (commit !== undefined && text !== texts[i]) last[i] = commit
      texts[i] = text
    })
  let commits = 0
  for await (const commit of commitsAfter(kernel, session, 0, to)) {
    fold(kernel.folder, tree, commit, replaying)
    if (commit.seq === from) look(undefined)
    if (commit.seq <= from) continue
    commits++
    counts.set(commit.actor, (counts.get(commit.actor) ?? 0) + 1)
    if (mayTouch(commit, paths)) look(commit)
  }
  return { commits, actors: Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a)), last }
}

/** A commit that only sets data cannot change what is not data; everything else is looked at. */
function mayTouch({ events }: Commit, paths: readonly Keys[]): boolean {
  if (paths.length === 0) return false
  const slices = new Set(paths.map(([slice]) => slice))
  return events.some(
    ({ type }) =>
      !/^(data|output)\./.test(type) ||
      slices.has(type.startsWith('data.') ? 'data' : 'outputs') ||
      slices.has(undefined),
  )
}

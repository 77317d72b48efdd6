/** Who changed which paths between two commits: one pass over the log. */
import type { Kernel } from '../kernel.ts'
import { START } from '../log/chain.ts'
import type { Commit } from '../log/commit.ts'
import { commitsOf } from '../log/commits.ts'
import { getAt, type Keys } from '../path/path.ts'
import type { Position } from '../ports.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import { nameOf, Touches, type Touch } from './touches.ts'

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
  /** The state behind `from`; it is folded on. */
  readonly tree: Tree
  /** A place in the log that is not behind `from`. */
  readonly position?: Position
}

export async function attribute(
  kernel: Kernel,
  session: string,
  { from, to, paths, tree, position = START }: Range,
): Promise<Attribution> {
  const touches = new Touches(tree)
  const asked = new Asked(paths)
  const last: (Commit | undefined)[] = paths.map(() => undefined)
  const counts = new Map<string, number>()
  let commits = 0
  for await (const commit of commitsOf(kernel, session, { after: from, until: to }, { position })) {
    fold(kernel.folder, tree, commit, touches)
    commits++
    counts.set(commit.actor, (counts.get(commit.actor) ?? 0) + 1)
    for (const touch of touches.take()) for (const i of asked.changedBy(touch)) last[i] = commit
  }
  return { commits, actors: Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a)), last }
}

/** The paths that somebody asks about, found from where something changed: a log is long, and they may be many. */
class Asked {
  readonly #paths: readonly Keys[]
  readonly #at = new Map<string, number[]>()
  readonly #below = new Map<string, number[]>()

  constructor(paths: readonly Keys[]) {
    this.#paths = paths
    for (const [i, path] of paths.entries()) {
      add(this.#at, nameOf(path), i)
      for (let length = 0; length < path.length; length++) add(this.#below, nameOf(path.slice(0, length)), i)
    }
  }

  *changedBy({ keys, before, after }: Touch): Generator<number> {
    for (let length = 0; length <= keys.length; length++) yield* this.#at.get(nameOf(keys.slice(0, length))) ?? []
    for (const i of this.#below.get(nameOf(keys)) ?? []) {
      const rest = (this.#paths[i] ?? []).slice(keys.length)
      if (JSON.stringify(getAt(before, rest)) !== JSON.stringify(getAt(after, rest))) yield i
    }
  }
}

function add(lists: Map<string, number[]>, name: string, i: number): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [i])
  else list.push(i)
}

import type { Kernel } from '../kernel.ts'
import type { Commit } from '../log/commit.ts'
import { Landmarks } from '../log/landmarks.ts'
import { formatPath, getAt, parsePath } from '../path/path.ts'
import type { Session } from '../session.ts'
import { copyJson } from '../state/edit.ts'
import type { Tree } from '../state/module.ts'
import { attribute } from './attribution.ts'
import { diff, type Change } from './diff.ts'

export interface Difference {
  readonly from: number
  readonly to: number
  /** Commits between the two. */
  readonly commits: number
  /** Commits by actor, busiest first. */
  readonly actors: Readonly<Record<string, number>>
  readonly changes: readonly Attributed[]
}

/**
 * A change, and the commit that made it; none where it was undone and done again outside of the range. `index`: what changed
 * says again what stands elsewhere, in another order.
 */
export type Attributed = Change & { readonly by: Commit | undefined; readonly index: boolean }

export interface Between {
  /** A point in time: `@-3`, `17`, a mark, `2h`, an ISO time. */
  readonly from: string | number
  /** Now, when it is left out. */
  readonly to?: string | number | undefined
  /** Only what lies below; everything, when it is left out. */
  readonly path?: string | undefined
}

/** What changed between two points of a session, and who changed it. */
export async function difference(kernel: Kernel, session: Session, between: Between): Promise<Difference> {
  const [from, to] = [await session.resolve(between.from), await session.resolve(between.to ?? '@')]
  const below = parsePath(between.path ?? '$')
  const [before, after] = [await stateAt(session, from), await stateAt(session, to)]
  const [least, most] = withSameSlices(before, after)
  const changes = diff(getAt(least, below), getAt(most, below)).map((change) => ({
    ...change,
    path: [...below, ...change.path],
  }))
  const earlier = Math.min(from, to)
  const told = await attribute(kernel, session.id, {
    from: earlier,
    to: Math.max(from, to),
    paths: changes.map(({ path }) => path),
    // What changed stays as it was found.
    tree: copyJson(from < to ? before : after),
    position: await new Landmarks(kernel, session.id).behind(earlier, session.position),
  })
  const { commits, actors, last } = told
  const attributed = changes.map((change, i) => ({ ...change, by: last[i], index: kernel.isIndex(change.path) }))
  return { from, to, commits, actors, changes: attributed }
}

const stateAt = async (session: Session, seq: number): Promise<Tree> => (seq === 0 ? {} : session.stateAt(seq))

/** A slice begins with its first event: what is in it counts as new, not the slice. */
function withSameSlices(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const empty = Object.fromEntries([...Object.keys(before), ...Object.keys(after)].map((slice) => [slice, {}]))
  return [
    { ...empty, ...before },
    { ...empty, ...after },
  ] as const
}

/** As surfaces print it: paths as text, and of each commit only who and when. */
export const differenceData = ({ changes, ...rest }: Difference) => ({ ...rest, changes: changes.map(changeData) })

function changeData(change: Attributed) {
  const { kind, path, by, index } = change
  const values = {
    ...(kind === 'added' ? {} : { before: change.before }),
    ...(kind === 'removed' ? {} : { after: change.after }),
  }
  return {
    kind,
    path: formatPath(path),
    ...values,
    ...(index ? { index } : {}),
    by: by === undefined ? null : { seq: by.seq, at: by.at, actor: by.actor, op: by.op },
  }
}

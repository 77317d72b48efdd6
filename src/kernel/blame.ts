import type { Commit } from './commit.ts'
import { replayingCopies } from './edit.ts'
import { fold } from './fold.ts'
import { commitsAfter } from './history.ts'
import type { Kernel } from './kernel.ts'
import type { Tree } from './module.ts'
import { compileGet, formatPath, parsePath } from './path.ts'

/** A value that a path had, and the commit that gave it. */
export interface Change {
  readonly commit: Commit
  readonly value: unknown
}

/** Every value the path had up to commit `until`, oldest first. The last one names who gave it the value it has. */
export async function* valueHistory(
  kernel: Kernel,
  session: string,
  path: string,
  until: number,
): AsyncGenerator<Change> {
  const read = compileGet(path)
  const tree: Tree = {}
  let last: string | undefined
  for await (const commit of commitsAfter(kernel, session, 0, until)) {
    fold(kernel.folder, tree, commit, replayingCopies)
    const value = read(tree)
    const text = JSON.stringify(value)
    if (text === last) continue
    last = text
    yield { commit, value: value === undefined ? undefined : JSON.parse(text) }
  }
}

/** The commit that last changed the path up to commit `until`; undefined when none did. */
export async function blame(kernel: Kernel, session: string, path: string, until: number): Promise<Change | undefined> {
  let last: Change | undefined
  for await (const change of valueHistory(kernel, session, path, until)) last = change
  return last
}

/** Who changed something, when, and why. */
export const authorOf = ({ seq, at, actor, op, reason, hash }: Commit) => ({
  seq,
  at,
  actor,
  op,
  reason: reason ?? null,
  hash,
})

/** A value that was taken away is null, and so is null: `exists` tells them apart. */
const valueData = (value: unknown) => ({ value: value ?? null, exists: value !== undefined })

/** What `blame` answers. */
export const blameData = (path: string, { commit, value }: Change) => ({
  path: formatPath(parsePath(path)),
  ...valueData(value),
  by: authorOf(commit),
})

export type BlameData = ReturnType<typeof blameData>
export type ValueData = ReturnType<typeof authorOf> & ReturnType<typeof valueData>

/** What `state history` answers: nothing is told before the first value. */
export async function historyData(
  kernel: Kernel,
  session: string,
  path: string,
  until: number,
): Promise<readonly ValueData[]> {
  const found: ValueData[] = []
  for await (const { commit, value } of valueHistory(kernel, session, path, until))
    if (found.length > 0 || value !== undefined) found.push({ ...authorOf(commit), ...valueData(value) })
  return found
}

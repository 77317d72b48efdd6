import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import type { Commit } from '../log/commit.ts'
import { commitsOf } from '../log/commits.ts'
import { compileGet, formatPath, parsePath } from '../path/path.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import { quoted } from '../text/shell-word.ts'
import type { ValueChange } from './value-change.ts'
import { Watched } from './watched.ts'

/** Of the values of a path together, as JSON: whoever asks for all of them holds them all. */
export const MOST_TEXT = 64 * 1024 * 1024

/** Every value the path had up to commit `until`, oldest first. The last one names who gave it the value it has. */
export async function* valueHistory(
  kernel: Kernel,
  session: string,
  path: string,
  until: number,
): AsyncGenerator<ValueChange> {
  let length = 0
  for await (const { commit, value } of changesOf(kernel, session, path, until)) {
    const text = textOf(value)
    length += text.length
    if (length > MOST_TEXT) throw tooMuch(path)
    yield { commit, value: valueOf(text) }
  }
}

/** The commit that last changed the path up to commit `until`; undefined when none did. */
export async function blame(
  kernel: Kernel,
  session: string,
  path: string,
  until: number,
): Promise<ValueChange | undefined> {
  let last: ValueChange | undefined
  for await (const change of changesOf(kernel, session, path, until)) last = change
  return last
}

/** The values belong to the fold: later commits change them. */
export async function* changesOf(
  kernel: Kernel,
  session: string,
  path: string,
  until: number,
): AsyncGenerator<ValueChange> {
  const read = compileGet(path)
  const tree: Tree = {}
  const watched = new Watched(() => read(tree))
  for await (const commit of commitsOf(kernel, session, { until })) {
    fold(kernel.folder, tree, commit, watched)
    if (watched.isChanged()) yield { commit, value: read(tree) }
  }
}

/** Empty for nothing: it is no JSON. */
export const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))

export const valueOf = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

const tooMuch = (path: string): EngineError =>
  new EngineError('VALUE_TOO_LARGE', `the values that ${path} had are more than ${MOST_TEXT} characters together`, {
    hint: `ask for the last of them, or for a place below: steadfold state history ${quoted(path)} -n 10`,
  })

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
export const valueData = (value: unknown) => ({ value: value ?? null, exists: value !== undefined })

/** What `blame` answers. */
export const blameData = (path: string, { commit, value }: ValueChange) => ({
  path: formatPath(parsePath(path)),
  ...valueData(value),
  by: authorOf(commit),
})

export type ValueData = ReturnType<typeof authorOf> & ReturnType<typeof valueData>

/** What `state history` answers. */
export const historyData = (
  kernel: Kernel,
  session: string,
  path: string,
  until: number,
): Promise<readonly ValueData[]> => toldOf(valueHistory(kernel, session, path, until))

/** Nothing is told before the first value. */
export async function toldOf(changes: AsyncIterable<ValueChange>): Promise<readonly ValueData[]> {
  const found: ValueData[] = []
  for await (const { commit, value } of changes)
    if (found.length > 0 || value !== undefined) found.push({ ...authorOf(commit), ...valueData(value) })
  return found
}

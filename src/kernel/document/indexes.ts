/* Places of the document that a person who looks for changes does not look for: indexes. */
import type { Keys } from '../path/path.ts'

export type IsIndex = (path: Keys) => boolean

/** Of `paths` like `inboxes.*.ready`, and of all that lies below. */
export function indexesOf(paths: readonly string[]): IsIndex {
  const patterns = paths.map((path) => path.split('.'))
  return (path) => patterns.some((keys) => keys.every((key, i) => (key === '*' ? i < path.length : key === path[i])))
}

import type { Commit } from '../log/commit.ts'

/** A value that a path had, and the commit that gave it. */
export interface Change {
  readonly commit: Commit
  readonly value: unknown
}

import type { Commit } from '../log/commit.ts'

/** A value that a path had, and the commit that gave it. */
export interface ValueChange {
  readonly commit: Commit
  readonly value: unknown
}

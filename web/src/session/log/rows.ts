/** Commits as rows, the latest first. A row that is not here yet comes when it is wanted. */
import type { LiveCommit } from '../../api/live.ts'

export type LogCommit = Omit<LiveCommit, 'session'>

export interface LogRows {
  /** How many are known to be there. */
  readonly count: number
  readonly commitAt: (row: number) => LogCommit | undefined
  /** Where a commit stands; -1 when it does not, or is not known yet. */
  readonly rowOf: (seq: number) => number
  /** Rows from `first` up to `end` are looked at. */
  readonly want: (first: number, end: number) => void
  readonly error: unknown
  /** Everything that fits is known. */
  readonly complete: boolean
}

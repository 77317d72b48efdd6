import type { Found } from '../redact/redact.ts'
import type { RunOptions } from './answer.ts'
import type { Operation } from './operation.ts'

/** What was asked for, on its way into a commit. */
export interface Request {
  readonly id: string
  readonly operation: Operation
  /** Parsed by the operation's schema. */
  readonly input: unknown
  readonly options: RunOptions
  /** What was taken out of it (G4 of stage.ts). */
  readonly redacted?: Found
}

import type { RunOptions } from './answer.ts'
import type { Operation } from './operation.ts'
import type { Found } from '../redact/redact.ts'

export interface Request {
  readonly id: string
  readonly operation: Operation
  /** Parsed by the operation's schema. */
  readonly input: unknown
  readonly options: RunOptions
  /** What was taken out of it (G4). */
  readonly redacted?: Found
}

/*
 * F2 binds the process, not the workspace that met the failure: whoever opens the folder again, or had it open beside,
 * reads the pages that were lost and syncs none of them.
 */
import { EngineError, isError } from '../../kernel/error.ts'

const failed = new Set<string>()

export const noteFailedSync = (folder: string): void => void failed.add(folder)

/** Mostly none has failed: an append then makes no name for its folder. */
export const hasFailedSync = (folder: () => string): boolean => failed.size > 0 && failed.has(folder())

export const isSyncFailure = (error: unknown): boolean =>
  isError(error) &&
  (('syscall' in error && (error.syscall === 'fsync' || error.syscall === 'fdatasync')) || isSyncFailure(error.cause))

export function unsure(session: string, cause: unknown): EngineError {
  return new EngineError(
    'OUTCOME_UNKNOWN',
    `session ${session}: a sync to disk failed; what was being written may or may not survive`,
    {
      hint: 'check the disk, start again and read the log: steadfold log',
      cause,
    },
  )
}

import { EngineError, type ErrorCode } from '../../kernel/error.ts'

const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: ['DISK_FULL', 'free some space, then try again; reads still work'],
  EDQUOT: ['DISK_FULL', 'your disk quota is used up; free some space, then try again'],
  EFBIG: ['FILE_TOO_LARGE', 'raise the file size limit (ulimit -f), or lower segmentBytes in .steadfold/config.json'],
  ENOENT: ['FILE_NOT_FOUND', 'a folder on the way is not there; make it first'],
  ENOTDIR: ['FILE_NOT_FOUND', 'something on the way is not a folder'],
  EROFS: ['READ_ONLY', 'the file system is mounted read-only'],
  EACCES: ['READ_ONLY', 'check the owner and mode of the workspace folder'],
  EPERM: ['READ_ONLY', 'check the owner and mode of the workspace folder'],
  ELOOP: ['WORKSPACE_UNSAFE', 'a symbolic link stands where a file of the workspace belongs; remove it'],
  EMFILE: ['STORE_UNAVAILABLE', 'too many open files: raise ulimit -n'],
  ENFILE: ['STORE_UNAVAILABLE', 'the system has too many open files'],
}

/** An error of the operating system as one of ours, with the next step. */
export function asFailure(error: unknown, doing: string): EngineError {
  if (error instanceof EngineError) return error
  const errno = errnoOf(error) ?? 'unknown error'
  const [code, hint] = CODES[errno] ?? (['STORE_UNAVAILABLE', 'check the disk, then try again'] as const)
  return new EngineError(code, `${doing}: ${errno}`, { hint, details: { errno }, cause: error })
}

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

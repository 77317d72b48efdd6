/* What the operating system refuses, as an error of ours that names the file and the next step. */
import { EngineError, type ErrorCode } from '../../kernel/error.ts'

const SAID: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['FILE_NOT_FOUND', 'a folder on the way is not there'],
  ENOTDIR: ['FILE_NOT_FOUND', 'something on the way is no folder'],
  EEXIST: ['FILE_NOT_FOUND', 'something else stands there'],
  EACCES: ['READ_ONLY', 'check the owner and mode of the file and of its folder'],
  EPERM: ['READ_ONLY', 'check the owner and mode of the file and of its folder'],
  EROFS: ['READ_ONLY', 'the file system is mounted read-only'],
  ENOSPC: ['DISK_FULL', 'free some space, then try again'],
  EDQUOT: ['DISK_FULL', 'your disk quota is used up; free some space, then try again'],
}

/** `doing`: "cannot read FILE", as people are told. */
export function orRefused<T>(doing: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof EngineError || !(cause instanceof Error) || !('syscall' in cause)) throw cause
    const errno = 'code' in cause ? String(cause.code) : 'unknown error'
    const [code, hint] = SAID[errno] ?? (['STORE_UNAVAILABLE', 'check the disk, then try again'] as const)
    throw new EngineError(code, `${doing}: ${errno}`, { hint, details: { errno }, cause })
  }
}

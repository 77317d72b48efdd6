import type { EngineError } from '../../kernel/error.ts'
import { systemError, type Said } from '../../kernel/system-error.ts'

const CODES: Said = {
  ENOSPC: ['DISK_FULL', 'free some space, then try again'],
  EDQUOT: ['DISK_FULL', 'your disk quota is used up; free some space, then try again'],
  EFBIG: ['FILE_TOO_LARGE', 'raise the file size limit (ulimit -f), or lower segmentBytes in .steadfold/config.json'],
  ENOENT: ['FILE_NOT_FOUND', 'a folder on the way is not there; make it first'],
  ENOTDIR: ['FILE_NOT_FOUND', 'something on the way is not a folder'],
  EROFS: ['READ_ONLY', 'the file system is mounted read-only'],
  EACCES: ['READ_ONLY', 'check the owner and mode of the workspace folder'],
  EPERM: ['READ_ONLY', 'check the owner and mode of the workspace folder'],
  ELOOP: ['WORKSPACE_UNSAFE', 'a symbolic link stands where a file of the workspace belongs; remove it'],
  EISDIR: ['STORE_UNAVAILABLE', 'a folder stands where a file of the workspace belongs; move it away'],
  ESPIPE: ['STORE_UNAVAILABLE', 'a pipe stands where a file of the workspace belongs; remove it'],
  EMFILE: ['STORE_UNAVAILABLE', 'too many open files: raise ulimit -n'],
  ENFILE: ['STORE_UNAVAILABLE', 'the system has too many open files'],
}

/** An error of the operating system as one of ours, with the next step. */
export const asFailure = (error: unknown, doing: string): EngineError => systemError(error, doing, CODES)

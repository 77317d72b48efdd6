/* What the operating system refuses, as an error of ours that names the file and the next step. */
import { isError } from '../../../kernel/error.ts'
import { systemError, type Said } from '../../../kernel/system-error.ts'

const SAID: Said = {
  ENOENT: ['FILE_NOT_FOUND', 'a folder on the way is not there'],
  ENOTDIR: ['FILE_NOT_FOUND', 'something on the way is no folder'],
  EISDIR: ['FILE_NOT_FOUND', 'a folder stands there'],
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
  } catch (error) {
    throw isError(error) && 'syscall' in error ? systemError(error, doing, SAID) : error
  }
}

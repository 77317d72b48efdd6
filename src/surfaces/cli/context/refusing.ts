/* What the operating system refuses, as an error of ours that names the file and the next step. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isError } from '../../../kernel/error.ts'
import { errnoOf, systemError, type Said } from '../../../kernel/system-error.ts'

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

/**
 * A folder with all above it; the uppermost that was made, undefined where it is there. Node, asked for several at once, says
 * ENOENT of a file system that is read-only, and comes to no end below /proc.
 */
export function makeFolders(folder: string, mode?: number): string | undefined {
  const above = path.dirname(folder)
  const made = fs.existsSync(above) ? undefined : makeFolders(above, mode)
  try {
    fs.mkdirSync(folder, mode)
    return made ?? folder
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && fs.statSync(folder).isDirectory()) return made
    throw error
  }
}

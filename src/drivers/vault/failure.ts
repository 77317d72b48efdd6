import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import type { EngineError } from '../../kernel/error.ts'
import { systemError, type Said } from '../../kernel/system-error.ts'

const ELSEWHERE = 'nothing may be written there: check owner and mode of the folder, or choose another place'
const CODES: Said = {
  ENOSPC: ['DISK_FULL', 'free some space, or choose another place'],
  EDQUOT: ['DISK_FULL', 'your disk quota is used up; free some space, or choose another place'],
  EFBIG: ['FILE_TOO_LARGE', 'raise the file size limit (ulimit -f), or choose another file system'],
  ENOENT: ['FILE_NOT_FOUND', 'a folder on the way is not there; make it first, or choose another place'],
  ENOTDIR: ['FILE_NOT_FOUND', 'something on the way is not a folder; choose another place'],
  ENAMETOOLONG: ['INPUT_INVALID', 'choose a shorter name'],
  EISDIR: ['INPUT_INVALID', 'a folder stands there; name a file'],
  EROFS: ['READ_ONLY', ELSEWHERE],
  EACCES: ['READ_ONLY', ELSEWHERE],
  EPERM: ['READ_ONLY', ELSEWHERE],
}

/** An error of the operating system as one of ours, with the next step. */
export const asFailure = (error: unknown, doing: string): EngineError => systemError(error, doing, CODES)

/** For you alone, in the temporary folder of the system; whoever makes it removes it. */
export function temporaryFolder(prefix: string): string {
  try {
    return fs.mkdtempSync(path.join(os.tmpdir(), prefix))
  } catch (error) {
    throw asFailure(error, `cannot write below ${os.tmpdir()}`)
  }
}

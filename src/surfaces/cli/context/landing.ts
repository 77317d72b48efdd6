/* Files that are kept beside a workspace: whole, or as they were, in folders that are made for them. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../../kernel/system-error.ts'

/** What `write` writes into the file that it is told, or what was there. */
export function landWhole(file: string, write: (temporary: string) => void): void {
  const temporary = `${file}.${process.pid}.new`
  try {
    write(temporary)
    fs.renameSync(temporary, file)
  } finally {
    fs.rmSync(temporary, { force: true })
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

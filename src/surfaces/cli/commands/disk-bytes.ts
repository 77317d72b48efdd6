import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../../kernel/system-error.ts'

/** Of all files in a folder. What goes meanwhile, such as the folder of an attempt that is over, counts nothing. */
export function diskBytes(folder: string): number {
  const entries = unlessGone(() => fs.readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.reduce((sum, entry) => {
    const at = path.join(folder, entry.name)
    if (entry.isDirectory()) return sum + diskBytes(at)
    return entry.isFile() ? sum + (fs.lstatSync(at, { throwIfNoEntry: false })?.size ?? 0) : sum
  }, 0)
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

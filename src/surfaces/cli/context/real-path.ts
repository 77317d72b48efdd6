import { realpathSync } from 'node:fs'
import * as path from 'node:path'

/** Without links; of a file that is not there yet, below the nearest folder that is. */
export function realOf(file: string): string {
  try {
    return realpathSync.native(file)
  } catch {
    const folder = path.dirname(file)
    return folder === file ? file : path.join(realOf(folder), path.basename(file))
  }
}

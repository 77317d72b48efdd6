import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../kernel/system-error.ts'

/** With those above that are missing, for their owner alone. What is put there counts: each is synced into the one above. */
export function makeFolders(folder: string): void {
  if (fs.existsSync(folder)) return
  const above = path.dirname(folder)
  makeFolders(above)
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Somebody else was quicker; they may not have come to sync it.
    if (errnoOf(error) !== 'EEXIST') throw error
  }
  syncFolder(above)
}

export function syncFolder(name: string): void {
  const folder = fs.openSync(name, fs.constants.O_RDONLY)
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

/* Where the nearest workspace is. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import { errnoOf } from '../../../kernel/system-error.ts'
import { inMain } from './checkout.ts'

export const FOLDER = '.steadfold'

/** The folder that holds it: upward, or in a worktree of git upward from the same place in the main checkout. */
export function nearestWorkspace(from: string): string | undefined {
  const found = upward(from)
  if (found !== undefined) return found
  const main = inMain(from)
  return main && upward(main)
}

function upward(from: string): string | undefined {
  for (let dir = from; ; dir = path.dirname(dir)) {
    if (holdsWorkspace(dir)) return dir
    if (dir === path.dirname(dir)) return undefined
  }
}

/** A file holds none. */
export function holdsWorkspace(dir: string): boolean {
  try {
    return fs.lstatSync(path.join(dir, FOLDER), { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    const why = errnoOf(cause) ?? 'it cannot be read'
    if (why === 'ENOTDIR') return false
    throw new EngineError('STORE_UNAVAILABLE', `cannot look into ${dir}: ${why}`, {
      hint: 'check the owner and mode of that folder, or name another: --dir DIR',
      cause,
    })
  }
}

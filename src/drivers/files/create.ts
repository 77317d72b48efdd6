import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { isRealFolder, makeFolder, PRIVATE_FOLDER, syncFolder, temporaryName } from './durable.ts'
import { asFailure, errnoOf } from './failure.ts'
import type { Layout } from './layout.ts'

/** By one rename, so that a session's folder never stands there without its log: where one does, the log was taken away. */
export function createFolders(layout: Layout, session: string): void {
  const folder = layout.session(session)
  makeFolder(layout.sessions)
  if (isRealFolder(folder)) return assertLog(layout, session)
  const temporary = temporaryName(folder)
  try {
    fs.mkdirSync(temporary, { mode: PRIVATE_FOLDER })
    makeFolder(path.join(temporary, 'log'))
    fs.renameSync(temporary, folder)
    syncFolder(layout.sessions)
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true })
    // Somebody else was here first.
    if (errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST') return assertLog(layout, session)
    throw asFailure(error, `cannot make ${folder}`)
  }
}

function assertLog(layout: Layout, session: string): void {
  if (layout.holds(session)) return
  throw new EngineError('LOG_CORRUPT', `session ${session} has lost its log folder`, {
    hint: 'bring the folder back from a copy, or choose another id; steadfold verify',
  })
}

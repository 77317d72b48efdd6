import * as fs from 'node:fs'
import * as path from 'node:path'
import { isRealFolder, makeFolder, readFile, replaceFile, syncFolder, temporaryName } from './durable.ts'
import { asFailure } from './failure.ts'
import type { Layout } from './layout.ts'

/**
 * Moves a session to `archive/<id>/`, each file compressed. The copy is whole and synced under another name before it
 * gets its own, and it has its own before the session goes: killed anywhere, the session is in one place or in both.
 */
export function archiveSession(layout: Layout, session: string): string {
  const from = layout.session(session)
  const temporary = temporaryName(path.join(layout.archive, session))
  try {
    makeFolder(layout.archive)
    const to = placeFor(layout, session)
    if (!isRealFolder(to)) {
      compressFolder(from, temporary)
      fs.renameSync(temporary, to)
      syncFolder(layout.archive)
    }
    // One rename takes it from the list; what a crash leaves of it is no session any more.
    const gone = temporaryName(from)
    fs.renameSync(from, gone)
    syncFolder(layout.sessions)
    fs.rmSync(gone, { recursive: true, force: true })
    layout.forget(session)
    return to
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true })
    throw asFailure(error, `cannot archive session ${session}`)
  }
}

/** A crash may have left the copy of this very session; one of another that had its id keeps its place. */
function placeFor(layout: Layout, session: string): string {
  const log = layout.log(session)
  for (let n = 1; ; n++) {
    const to = path.join(layout.archive, n === 1 ? session : `${session}.${n}`)
    if (!isRealFolder(to) || isCopy(log, path.join(to, 'log'))) return to
  }
}

function isCopy(log: string, archived: string): boolean {
  const { gunzipSync } = process.getBuiltinModule('node:zlib')
  return fs.readdirSync(log).every((name) => {
    const copy = readFile(path.join(archived, `${name}.gz`))
    return copy !== undefined && gunzipSync(copy).equals(fs.readFileSync(path.join(log, name)))
  })
}

function compressFolder(from: string, to: string): void {
  // Loaded on use: hot commands start without it.
  const { gzipSync } = process.getBuiltinModule('node:zlib')
  makeFolder(to)
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name)
    if (entry.isDirectory()) compressFolder(source, path.join(to, entry.name))
    else if (entry.isFile() && entry.name !== 'turn')
      replaceFile(path.join(to, `${entry.name}.gz`), gzipSync(fs.readFileSync(source)))
  }
}

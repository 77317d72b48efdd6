import * as fs from 'node:fs'
import * as path from 'node:path'
import { isRealFolder, makeFolder, replaceFile, syncFolder } from './durable.ts'
import { asFailure } from './failure.ts'
import type { Layout } from './layout.ts'

/**
 * Moves a session to `archive/<id>/`, each file compressed. The copy is whole and synced under another name before it
 * gets its own, and it has its own before the session goes: killed anywhere, the session is in one place or in both.
 */
export function archiveSession(layout: Layout, session: string): string {
  const from = layout.session(session)
  const to = path.join(layout.archive, session)
  const temporary = path.join(layout.archive, `.${session}.tmp`)
  try {
    makeFolder(layout.archive)
    if (!isRealFolder(to)) {
      fs.rmSync(temporary, { recursive: true, force: true })
      compressFolder(from, temporary)
      fs.renameSync(temporary, to)
      syncFolder(layout.archive)
    }
    // One rename takes it from the list; what a crash leaves of it is no session any more.
    const gone = path.join(layout.sessions, `.${session}.archived`)
    fs.renameSync(from, gone)
    syncFolder(layout.sessions)
    fs.rmSync(gone, { recursive: true, force: true })
    layout.forget(session)
    return to
  } catch (error) {
    throw asFailure(error, `cannot archive session ${session}`)
  }
}

function compressFolder(from: string, to: string): void {
  // Loaded on use: hot commands start without it.
  const { gzipSync } = process.getBuiltinModule('node:zlib')
  makeFolder(to)
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name)
    if (entry.isDirectory()) compressFolder(source, path.join(to, entry.name))
    else if (entry.isFile() && entry.name !== 'turn') replaceFile(path.join(to, `${entry.name}.gz`), gzipSync(fs.readFileSync(source)))
  }
}

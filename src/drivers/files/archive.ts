import * as fs from 'node:fs'
import * as path from 'node:path'
import { notFound, sessionThere } from '../../kernel/names.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import {
  discard,
  isRealFolder,
  isTemporary,
  makeFolder,
  readFile,
  replaceFile,
  syncFolder,
  temporaryName,
} from './durable.ts'
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
      copyFolder(from, temporary, packed, layout.redo(session))
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
    discard(temporary)
    // Somebody else has put it away, or is at it: one copy is enough.
    if (isOvertaken(error) && !isRealFolder(from)) throw notFound(session)
    if (isTaken(error)) return archiveSession(layout, session)
    throw asFailure(error, `cannot archive session ${session}`)
  }
}

/**
 * Brings `archive/<place>` back as session `id`: whole and synced under another name first, then by one rename, and only
 * then does the archived copy go. Killed anywhere, the session is in one place or in both.
 */
export function restoreSession(layout: Layout, place: string, id: string): void {
  const from = path.join(layout.archive, place)
  const [to, temporary] = [layout.session(id), temporaryName(layout.session(id))]
  try {
    makeFolder(layout.sessions)
    if (isRealFolder(to)) throw sessionThere(id)
    copyFolder(from, temporary, unpacked)
    fs.renameSync(temporary, to)
    syncFolder(layout.sessions)
    const gone = temporaryName(from)
    fs.renameSync(from, gone)
    syncFolder(layout.archive)
    fs.rmSync(gone, { recursive: true, force: true })
  } catch (error) {
    discard(temporary)
    // Somebody made it meanwhile, and may have taken it out of the archive.
    if (isTaken(error) || (isOvertaken(error) && isRealFolder(to))) throw sessionThere(id)
    throw asFailure(error, `cannot bring session ${id} back`)
  }
}

const isTaken = (error: unknown): boolean => errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST'
const isOvertaken = (error: unknown): boolean => isTaken(error) || errnoOf(error) === 'ENOENT'

/** Undefined where there is no such file; throws when it is damaged. */
export function unzipped(file: string): Buffer | undefined {
  const bytes = readFile(file)
  // Loaded on use: hot commands start without it.
  return bytes === undefined ? undefined : process.getBuiltinModule('node:zlib').gunzipSync(bytes)
}

/** A crash may have left the copy of this very session; one of another that had its id keeps its place, as does one that lost a blob. */
function placeFor(layout: Layout, session: string): string {
  const [log, blobs] = [layout.log(session), layout.blobs(session)]
  for (let n = 1; ; n++) {
    const to = path.join(layout.archive, n === 1 ? session : `${session}.${n}`)
    if (!isRealFolder(to)) return to
    if (isCopy(log, path.join(to, 'log')) && (!isRealFolder(blobs) || isCopy(blobs, path.join(to, 'blobs')))) return to
  }
}

/** With all folders in it. */
export function isCopy(folder: string, archived: string): boolean {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isTemporary(name))
  return entries.every((entry) => {
    const [source, place] = [path.join(folder, entry.name), path.join(archived, entry.name)]
    if (entry.isDirectory()) return isCopy(source, place)
    const copy = readFile(`${place}.gz`)
    return copy !== undefined && isPacked(copy, fs.readFileSync(source))
  })
}

/** One that is damaged is a copy of nothing. */
function isPacked(copy: Buffer, bytes: Buffer): boolean {
  try {
    return process.getBuiltinModule('node:zlib').gunzipSync(copy).equals(bytes)
  } catch {
    return false
  }
}

/** A file's name and bytes there, from its name and place here; undefined when it stays behind. */
type Copy = (name: string, source: string) => readonly [name: string, bytes: Uint8Array] | undefined

const packed: Copy = (name, source) =>
  name === 'turn' || name === 'vouched' || isTemporary(name)
    ? undefined
    : [`${name}.gz`, process.getBuiltinModule('node:zlib').gzipSync(fs.readFileSync(source))]

function unpacked(name: string, source: string): readonly [string, Uint8Array] | undefined {
  const bytes = name.endsWith('.gz') ? unzipped(source) : undefined
  return bytes === undefined ? undefined : [name.slice(0, -'.gz'.length), bytes]
}

/** Without `except`, a folder in `from`. */
function copyFolder(from: string, to: string, copy: Copy, except?: string): void {
  makeFolder(to)
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name)
    if (source === except) continue
    if (entry.isDirectory()) copyFolder(source, path.join(to, entry.name), copy)
    else if (entry.isFile()) {
      const [name, bytes] = copy(entry.name, source) ?? []
      if (name !== undefined && bytes !== undefined) replaceFile(path.join(to, name), bytes)
    }
  }
}

/*
 * What is put away and what is left over: `archive/<id>/`, and what killed writers have not cleaned up.
 *
 * A1. Archived sessions are only read; their bytes are those that the chain was made of.
 * A2. A blob is renamed before it goes, and comes back when its time says that somebody has asked for it anew meanwhile.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { ArchivedLog } from '../../kernel/log/archived.ts'
import type { Attic, Here, Host, Leftover, Stray, Waiting } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { restoreSession } from './archive.ts'
import { fileShelf } from './archived.ts'
import { hasLostLog } from './create.ts'
import { isRealFolder, isTemporary, makeFolder, statOf, syncFolder, temporaryName } from './durable.ts'
import { asFailure } from './failure.ts'
import { keepBeside, keepIn, landSession } from './land.ts'
import { isSessionId, Layout } from './layout.ts'
import { cutTold, untoldCuts } from './repair.ts'
import { spoolWaits } from './spool-waits.ts'
import { Spool } from './spool.ts'
import { straysOf } from './strays.ts'

const BLOB = /^[0-9a-f]{64}$/

export function fileAttic(layout: Layout, sha256: Host['sha256']): Attic {
  const inside = (file: string) => path.relative(layout.root, file)
  return {
    log: new ArchivedLog(fileShelf(layout), sha256),
    restore: async (archived, id) => restoreSession(layout, archived, id),
    land: (id, files) => landSession(layout, id, files),
    keep: (id, file) => keepBeside(layout, id, file),
    remains: async function* () {
      for (const name of layout.folders()) if (isSessionId(name) && isGone(layout, name)) yield name
    },
    leftovers: async (older) => [
      ...foldersOf(layout).flatMap((folder) =>
        namesIn(folder)
          .filter(isTemporary)
          .flatMap((name) => found(path.join(folder, name), older, inside)),
      ),
      ...layout
        .folders()
        .filter((id) => isSessionId(id) && isEmpty(layout, id))
        .flatMap((id) => found(layout.session(id), older, inside)),
    ],
    half: async (id, older) => (isLeft(layout, id, older) ? found(layout.session(id), older, inside) : []),
    blobs: async (session, older) =>
      blobFolders(layout, session).flatMap((folder) =>
        namesIn(folder)
          .filter((name) => BLOB.test(name))
          .flatMap((name) => found(path.join(folder, name), older, inside)),
      ),
    untold: async (session) => untoldCuts(layout, session),
    told: async (session, cut) => cutTold(layout, session, cut),
    waiting: async () => waitingIn(layout.root),
    strays: async () => straysIn(layout.root),
    remove: async ({ path: file }, older) => {
      layout.forget(path.basename(file))
      return remove(path.join(layout.root, file), older)
    },
  }
}

function waitingIn(root: string): Waiting {
  const spool = new Spool({ root, now: Date.now })
  return { sessions: new Set(spool.list().map(({ session }) => session)), unfinished: spool.unfinished() }
}

/** Most of the time there are none, and that is known soon. Whoever opens the workspace is told of a spool that cannot be read. */
function straysIn(root: string): readonly Stray[] {
  try {
    return spoolWaits(root, Date.now()) ? straysOf(new Spool({ root, now: Date.now }).told()) : []
  } catch (error) {
    if (error instanceof EngineError && error.code !== 'WORKSPACE_UNSAFE') return []
    throw error
  }
}

/** Of a workspace that is kept elsewhere: what is of this machine. */
export function folderHere(root: string): Here {
  return {
    waiting: async () => waitingIn(root),
    strays: async () => straysIn(root),
    keep: async (id, file) => {
      const layout = new Layout(root)
      for (const folder of [layout.sessions, layout.session(id)]) makeFolder(folder)
      return keepIn(layout.session(id), file)
    },
  }
}

/** Where writers make files under another name first. */
function foldersOf(layout: Layout): readonly string[] {
  const sessions = layout.folders().filter(isSessionId)
  const names = path.join(layout.root, 'names')
  return [
    layout.root,
    path.join(layout.root, 'spool'),
    ...below(names),
    layout.sessions,
    layout.archive,
    ...sessions.flatMap((id) => sessionFolders(layout, id)),
  ]
}

/** Not `work`: what lies there is of steps. */
function sessionFolders(layout: Layout, id: string): readonly string[] {
  const folder = layout.session(id)
  const carried = path.join(folder, 'carried')
  const own = [folder, layout.log(id), path.join(folder, 'remotes'), carried]
  return [...own, ...blobFolders(layout, id), ...below(carried), ...below(path.join(folder, 'damaged'))]
}

/** Its maker was killed before it made the first segment. */
const isEmpty = (layout: Layout, id: string): boolean =>
  namesIn(layout.session(id)).every((name) => name === 'log') &&
  namesIn(layout.log(id)).length === 0 &&
  !isGone(layout, id)

/** Those that are empty are found by themselves. */
const isLeft = (layout: Layout, id: string, older: number): boolean =>
  !isEmpty(layout, id) && ageOf(lastWrite(layout.session(id))) >= older

/** Of one that only another user may look into nothing is known. */
function isGone(layout: Layout, id: string): boolean {
  try {
    return hasLostLog(layout, id) || isEmptied(layout, id)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'READ_ONLY') return false
    throw error
  }
}

/**
 * Whether files of the log stood in its folder and were taken away. One that was copied empty tells nothing, nor does a file
 * system that keeps no time of birth.
 */
function isEmptied(layout: Layout, id: string): boolean {
  const stat = statOf(layout.log(id))
  const hasChanged = stat !== undefined && stat.birthtimeMs > 0 && stat.mtimeMs > stat.birthtimeMs
  return hasChanged && namesIn(layout.log(id)).length === 0
}

function blobFolders(layout: Layout, session: string): readonly string[] {
  return below(path.join(layout.blobs(session), 'sha256'))
}

const below = (folder: string): readonly string[] => namesIn(folder).map((name) => path.join(folder, name))

/** None where it goes while it is looked at. */
function namesIn(folder: string): readonly string[] {
  try {
    return fs.lstatSync(folder).isDirectory() ? fs.readdirSync(folder).sort() : []
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw asFailure(error, `cannot list ${folder}`)
  }
}

function found(file: string, older: number, inside: (file: string) => string): readonly Leftover[] {
  const stat = statOf(file)
  return stat === undefined || !isOld(stat, older, stat.isDirectory())
    ? []
    : [{ path: inside(file), bytes: sizeOf(file) }]
}

/** A folder that was renamed has the time of its content; a blob is as old as its bytes, or the last wish for it. */
const isOld = ({ mtimeMs, ctimeMs }: fs.Stats, older: number, isFolder = false): boolean =>
  ageOf(isFolder ? Math.max(mtimeMs, ctimeMs) : mtimeMs) >= older

/** Times of files have fractions of a millisecond, which the clock has not: what was made just now is not of the future. */
const ageOf = (at: number): number => Date.now() - Math.floor(at)

/** The time of a file, or the latest of those in a folder and its own; what went while it was looked at went just now. */
function lastWrite(file: string): number {
  const stat = statOf(file)
  if (stat === undefined) return Infinity
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...namesIn(file).map((name) => lastWrite(path.join(file, name))))
}

function sizeOf(file: string): number {
  const stat = statOf(file)
  if (stat?.isDirectory() !== true) return stat?.size ?? 0
  return namesIn(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0)
}

/** False where it stays, or where another has taken it. */
function remove(file: string, older: number): boolean {
  try {
    return taken(file, older)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw asFailure(error, `cannot remove ${file}`)
  }
}

/** A2. Renaming changes the time of the name, never that of the bytes. */
function taken(file: string, older: number): boolean {
  const gone = isTemporary(path.basename(file)) ? file : temporaryName(file)
  if (gone !== file) {
    fs.renameSync(file, gone)
    if (ageOf(lastWrite(gone)) < older) {
      if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) fs.renameSync(gone, file)
      else fs.rmSync(gone)
      return false
    }
  }
  fs.rmSync(gone, { recursive: true, force: true })
  if (isRealFolder(path.dirname(file))) syncFolder(path.dirname(file))
  return true
}

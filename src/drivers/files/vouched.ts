/*
 * Which names on the way to a segment are known to be synced.
 *
 * To sync a folder waits for the disk as long as a commit does, and a command that lives for one commit would wait for four of
 * them, each time. So whoever has synced them writes beside the log which folders and which file they lead to.
 *
 * V1. It is written when all of them are synced, and not synced itself: lost or torn, it vouches for nothing.
 * V2. Folders and file go by their number and the time of their birth: those of a copy, or of one that was brought back from
 *     a backup, are others, and nobody has synced their names.
 */
import * as fs from 'node:fs'
import { PRIVATE_FILE, syncFile, syncFolder, TO_READ } from './durable.ts'
import type { Layout } from './layout.ts'
import { lastHeld } from './read.ts'

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = fs.constants
const TO_VOUCH = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK

/** Everything that stands in the log now, whoever wrote it. */
export function syncLog(layout: Layout, session: string): void {
  const last = lastHeld(layout, session)
  if (last === undefined) return
  syncFile(layout.segment(session, last))
  syncNames(layout, session, last, 'strange')
}

/**
 * All names on the way to segment `first`. Of a strange one nobody knows who made it, and whether the one before was synced;
 * of a known one the folders above its own are synced.
 */
export function syncNames(layout: Layout, session: string, first: number, origin: 'known' | 'strange'): void {
  if (isVouched(layout, session, first)) return
  if (origin === 'strange') {
    const before = lastHeld(layout, session, first)
    if (before !== undefined) syncFile(layout.segment(session, before))
    for (const folder of foldersAbove(layout, session)) syncFolder(folder)
  }
  syncFolder(layout.log(session))
  vouch(layout, session, first)
}

const foldersAbove = (layout: Layout, session: string): readonly string[] => [
  layout.session(session),
  layout.sessions,
  layout.root,
]

function isVouched(layout: Layout, session: string, first: number): boolean {
  try {
    const fd = fs.openSync(layout.vouched(session), TO_READ)
    try {
      return fs.readFileSync(fd, 'latin1') === way(layout, session, first)
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return false
  }
}

/** V1: the caller has synced them. */
function vouch(layout: Layout, session: string, first: number): void {
  try {
    const fd = fs.openSync(layout.vouched(session), TO_VOUCH, PRIVATE_FILE)
    try {
      fs.writeSync(fd, way(layout, session, first))
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    // The next one syncs them again.
  }
}

/** V2; throws where one is missing, or tells no time of its birth. */
function way(layout: Layout, session: string, first: number): string {
  const folders = [...foldersAbove(layout, session), layout.log(session)]
  return [...folders, layout.segment(session, first)].map(identity).join('')
}

function identity(name: string): string {
  const { ino, birthtimeMs } = fs.lstatSync(name)
  if (birthtimeMs === 0) throw new Error(`${name} tells no time of its birth`)
  return `${ino} ${birthtimeMs}\n`
}

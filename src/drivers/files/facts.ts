import * as fs from 'node:fs'
import * as path from 'node:path'
import type { LogFacts, Synced } from '../../kernel/log-facts.ts'
import type { Position } from '../../kernel/ports.ts'
import { Layout, segmentName } from './layout.ts'

/** What a workspace folder tells of a session without reading its log. */
export async function logFacts(root: string, session: string): Promise<LogFacts> {
  const layout = new Layout(root)
  const segments = layout.segments(session).map((first) => {
    const bytes = fs.statSync(layout.segment(session, first), { throwIfNoEntry: false })?.size ?? 0
    return { name: segmentName(first), first, bytes }
  })
  return { folder: path.dirname(root), segments, synced: syncedIn(path.join(layout.session(session), 'remotes')) }
}

/** A cache of others: what cannot be read is left out. */
function syncedIn(folder: string): readonly Synced[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => /^[^.].*\.json$/.test(name)) : []
  return names.flatMap((name) => readSynced(folder, name)).toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

function readSynced(folder: string, name: string): readonly Synced[] {
  try {
    // Written by this program alone, whole or not at all.
    const known = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as Synced & {
      readonly position: Position
    }
    const { url, sealed, at, status, error, position } = known
    return [{ remote: name.slice(0, -'.json'.length), url, sealed, seq: position.seq, at, status, error }]
  } catch {
    return []
  }
}

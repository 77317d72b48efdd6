import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { damaged, type Shelf } from '../../kernel/log/archived.ts'
import { notFound } from '../../kernel/names.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { isCopy, unzipped } from './archive.ts'
import { isRealFolder, namesIn } from './durable.ts'
import { asFailure } from './failure.ts'
import { isSessionId, segmentName, type Layout } from './layout.ts'

const SEGMENT = /^(\d{20})\.jsonl\.gz$/

/** `archive/<id>/`: the files of the session, each compressed. */
export function fileShelf(layout: Layout): Shelf {
  const place = (session: string) => path.join(layout.archive, session)
  const exists = (session: string) =>
    isSessionId(session) && isRealFolder(layout.archive) && isRealFolder(place(session))
  return {
    exists: async (session) => exists(session),
    // One that is still, or again, among the sessions is listed there.
    list: async function* () {
      for (const name of isRealFolder(layout.archive) ? namesIn(layout.archive).toSorted() : []) {
        if (!exists(name)) continue
        if (!isListed(layout, name, path.join(place(name), 'log'))) yield name
      }
    },
    segments: async (session) => {
      if (!exists(session)) throw notFound(session)
      const folder = path.join(place(session), 'log')
      if (!isRealFolder(folder)) throw damaged(session, 'its log folder is gone')
      const found = namesIn(folder).flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
      return found.map(Number).sort((a, b) => a - b)
    },
    part: async (session, kind, name) => {
      const file = FILE[kind](name)
      try {
        return unzipped(path.join(place(session), file))
      } catch (error) {
        if (error instanceof EngineError) throw error
        throw damaged(session, `${file} is damaged: ${String(error)}`)
      }
    },
  }
}

function isListed(layout: Layout, session: string, archived: string): boolean {
  try {
    return layout.holds(session) && isCopy(layout.log(session), archived)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw asFailure(error, `cannot read the log of session ${session}`)
    // It was there when we last looked: another process has archived it.
    layout.forget(session)
    return false
  }
}

const FILE = {
  log: (first: string) => path.join('log', `${segmentName(Number(first))}.gz`),
  blob: (hash: string) => path.join('blobs', 'sha256', hash.slice(0, 2), `${hash}.gz`),
  checkpoint: () => 'checkpoint.json.gz',
}

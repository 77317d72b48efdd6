import { EngineError } from '../../kernel/error.ts'
import { makeFolder, statOf } from './durable.ts'
import type { Layout } from './layout.ts'

/** The log before anything else. */
export function createFolders(layout: Layout, session: string): void {
  makeFolder(layout.sessions)
  makeFolder(layout.session(session))
  if (hasLostLog(layout, session))
    throw new EngineError('LOG_CORRUPT', `session ${session} has lost its log folder`, {
      hint: 'bring the folder back from a copy, or choose another id; steadfold verify',
    })
  makeFolder(layout.log(session))
}

/**
 * Whether the log was taken away: where its maker was killed before it made the log, nothing has ever stood in the folder.
 * In this order, so that a log that somebody makes meanwhile is seen.
 */
export function hasLostLog(layout: Layout, session: string): boolean {
  const stat = statOf(layout.session(session))
  return stat !== undefined && stat.mtimeMs > stat.birthtimeMs && !layout.holds(session)
}

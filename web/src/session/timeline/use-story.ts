/** The story up to the point that is viewed; it grows with the log. */
import { useEffect, useMemo } from 'preact/hooks'
import { useStore } from '../../store.ts'
import { useNewer } from '../log/newer.ts'
import { makePager } from '../log/pager.ts'
import { useReplaced } from '../log/replaced.ts'
import { useViewed } from '../session.ts'
import { EVENTS, tell, type Story } from './story.ts'

/** The most that the daemon gives at once. */
const MOST = 10_000

export interface Told {
  /** Undefined before it was read. */
  readonly story: Story | undefined
  /** Its beginning was left out. */
  readonly cut: boolean
  readonly error: unknown
}

export function useStory(): Told {
  const { id, at, point } = useViewed()
  const until = at === undefined ? undefined : point
  const filter = { op: [], actor: [], type: EVENTS, since: undefined, until: undefined }
  const pager = useMemo(() => makePager(id, filter, { until, page: MOST }), [id, until])
  const { commits, next, error } = useStore(pager.found)
  useEffect(pager.older, [pager])
  useNewer(at === undefined, id, pager.newer)
  useReplaced(id, pager)
  const story = useMemo(() => (next === undefined ? undefined : tell(commits.toReversed())), [commits, next])
  return { story, cut: next !== null && next !== undefined, error }
}

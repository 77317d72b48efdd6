/** The commits that fit a filter, as far as one scrolls; new ones are asked for when something happened. */
import { useEffect, useMemo } from 'preact/hooks'
import { useStore } from '../../store.ts'
import type { LogFilter } from './filter.ts'
import { useNewer } from './newer.ts'
import { makePager } from './pager.ts'
import { useReplaced } from './replaced.ts'
import type { LogRows } from './rows.ts'

const PAGE = 500
/** So far ahead of the end the next page is read. */
const AHEAD = 100

/** Up to `point`; with `live`, what comes later, too. */
export function useFilteredLog(session: string, filter: LogFilter, point: number, live: boolean): LogRows {
  const until = live ? undefined : point
  const pager = useMemo(
    () => makePager(session, filter, { until, page: PAGE }),
    [session, JSON.stringify(filter), until],
  )
  const { commits, next, error } = useStore(pager.found)
  useEffect(pager.older, [pager])
  useNewer(live && filter.until === undefined, session, pager.newer)
  useReplaced(session, pager)
  return {
    count: commits.length,
    commitAt: (row) => commits[row],
    rowOf: (seq) => commits.findIndex((commit) => commit.seq === seq),
    want: (_first, end) => {
      if (end > commits.length - AHEAD && next !== undefined) pager.older()
    },
    error,
    complete: next === null,
  }
}

/*
 * All commits of a session. They are numbered without holes, so a row is known by its number alone: only the pieces
 * that are looked at are read, however long the log is.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { onCommit, onceBack } from '../../api/live.ts'
import { read, sessionPath } from '../../api/request.ts'
import type { Paged } from './pager.ts'
import { useReplaced } from './replaced.ts'
import type { LogCommit, LogRows } from './rows.ts'

const PIECE = 200

interface Kept {
  readonly commits: Map<number, LogCommit>
  readonly reading: Set<number>
  /** The last commit that came by itself. */
  heard: number
  /** Rows that were looked at last. */
  wanted: readonly [first: number, end: number]
}

/** Up to `point`; with `live`, what comes later, too. */
export function useWholeLog(session: string, point: number, live: boolean): LogRows {
  const kept = useRef<Kept>({ commits: new Map(), reading: new Set(), heard: 0, wanted: [0, 0] }).current
  const [, draw] = useState(0)
  const [error, fail] = useState<unknown>()
  const redraw = () => draw((n) => n + 1)
  useEffect(
    () =>
      onCommit((commit) => {
        if (commit?.session !== session) return
        kept.commits.set(commit.seq, commit)
        kept.heard = commit.seq
        if (live) redraw()
      }),
    [session, live],
  )
  const top = live ? Math.max(point, kept.heard) : point
  const want = (first: number, end: number) => {
    kept.wanted = [first, end]
    const pieces = missing(kept, { from: Math.max(1, top - end + 1), to: top - first })
    if (pieces.length === 0) return
    for (const piece of pieces) kept.reading.add(piece)
    readPieces(session, pieces)
      .then((commits) => commits.forEach((commit) => kept.commits.set(commit.seq, commit)))
      .then(() => {
        fail(undefined)
        redraw()
      })
      .catch((problem: unknown) => {
        fail(problem)
        onceBack(() => want(first, end))
      })
      .finally(() => pieces.forEach((piece) => kept.reading.delete(piece)))
  }
  useAnew(session, kept, want)
  return { ...rowsUpTo(top, kept), want, error, complete: true }
}

function useAnew(session: string, kept: Kept, want: LogRows['want']): void {
  const [times, again] = useState(0)
  const whole = useMemo(() => {
    const anew = () => {
      kept.commits.clear()
      kept.heard = 0
      again((n) => n + 1)
    }
    return { last: () => kept.commits.get([...kept.commits.keys()].reduce((a, b) => Math.max(a, b), 0)), anew }
  }, [kept])
  useReplaced(session, whole)
  useEffect(() => {
    if (times > 0) want(...kept.wanted)
  }, [times])
}

const rowsUpTo = (top: number, { commits }: Kept): Pick<LogRows, 'count' | 'commitAt' | 'rowOf'> => ({
  count: top,
  commitAt: (row) => commits.get(top - row),
  rowOf: (seq) => (seq > 0 ? top - seq : -1),
})

/** Pieces with a commit in the range that is neither here nor on its way. */
function missing({ commits, reading }: Kept, { from, to }: { readonly from: number; readonly to: number }): number[] {
  const pieces = new Set<number>()
  for (let seq = from; seq <= to; seq++) if (!commits.has(seq)) pieces.add(Math.floor((seq - 1) / PIECE))
  return [...pieces].filter((piece) => !reading.has(piece))
}

/** Those that are missing lie together: one reading is enough. */
async function readPieces(session: string, pieces: readonly number[]): Promise<readonly LogCommit[]> {
  const [first, last] = [Math.min(...pieces), Math.max(...pieces)]
  const end = (last + 1) * PIECE
  const found: LogCommit[] = []
  // Where commits are large, an answer has fewer.
  for (let cursor = first * PIECE; cursor < end;) {
    const query = { cursor, limit: end - cursor }
    const { data, next } = await read<readonly LogCommit[], Paged>(sessionPath(session, 'log'), query)
    found.push(...data)
    cursor = next === null ? end : Number(next)
  }
  return found
}

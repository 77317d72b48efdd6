/** Reads the commits that fit a filter, the latest first: older ones page by page, newer ones when told to look. */
import { onceBack } from '../../api/live.ts'
import { read, sessionPath, type Query } from '../../api/request.ts'
import { makeStore, type Store } from '../../store.ts'
import type { LogFilter } from './filter.ts'
import type { Read } from './replaced.ts'
import type { LogCommit } from './rows.ts'

export interface Found {
  readonly commits: readonly LogCommit[]
  /** Cursor of the next page; null at the end, undefined before the first. */
  readonly next: string | null | undefined
  readonly error?: unknown
}

export interface Pager extends Read {
  readonly found: Store<Found>
  readonly older: () => void
  readonly newer: () => void
}

export interface Paged {
  readonly next: string | null
}

interface Range {
  /** Undefined for all there are. */
  readonly until: number | undefined
  /** Commits in a page. */
  readonly page: number
}

export function makePager(session: string, filter: LogFilter, { until, page }: Range): Pager {
  const found = makeStore<Found>({ commits: [], next: undefined })
  const ask = (query: Query) => read<readonly LogCommit[], Paged>(sessionPath(session, 'log'), { ...filter, ...query })
  const older = alone(async () => {
    const { next: cursor } = found.get()
    if (cursor === null) return
    const { data, next } = await ask({ until: filter.until ?? until, order: 'desc', limit: page, cursor })
    found.set({ commits: [...found.get().commits, ...data], next })
  })
  const newer = alone(async () => {
    let more: string | null = ''
    while (more !== null) {
      // What comes while the first page is on its way may not be in it.
      if (found.get().next === undefined) await older()
      const cursor = found.get().commits[0]?.seq
      const answer = await ask({ cursor, limit: page })
      const { commits, next } = found.get()
      if (commits[0]?.seq !== cursor) continue
      found.set({ commits: [...answer.data.toReversed(), ...commits], next })
      more = answer.next
    }
  })
  const first = failing(found, older)
  const anew = () => {
    found.set({ commits: [], next: undefined })
    first()
  }
  return { found, older: first, newer: failing(found, newer), last: () => found.get().commits[0], anew }
}

/** What fails is tried again when the connection is back. */
function failing(found: Store<Found>, task: () => Promise<void>): () => void {
  const attempt = (): void =>
    void task().catch((error: unknown) => {
      if (found.get().error === undefined) onceBack(again)
      found.set({ ...found.get(), error })
    })
  const again = () => {
    found.set({ ...found.get(), error: undefined })
    attempt()
  }
  return attempt
}

/** Not again while it is under way. */
function alone(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= task().finally(() => (running = undefined)))
}

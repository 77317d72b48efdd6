import { lastBefore, lastBy } from '../../kernel/history/log-range.ts'
import type { Commit } from '../../kernel/log/commit.ts'
import { commitData, passes, type LogFilter } from '../../kernel/log/filter.ts'
import { charactersOf, latestOf, type Range } from '../../kernel/log/latest.ts'
import { usage, type Parameter, type Query, type Route } from './route.ts'

const USUAL = 100
const MOST = 10_000
/** As much as can be made one text of, and held by many at a time. */
const MOST_CHARACTERS = 32 * 1024 * 1024

export const FILTERS: readonly Parameter[] = [
  { name: 'op', kind: 'list', summary: 'only these operations: state.set, step.*' },
  { name: 'actor', kind: 'list', summary: 'only by these actors: agent:planner, agent:*, planner' },
  { name: 'type', kind: 'list', summary: 'only with an event of these types: data.set, step.*' },
]

export const filterOf = (query: Query): LogFilter => ({
  op: query.list('op'),
  actor: query.list('actor'),
  type: query.list('type'),
})

/** Commits in pages: `next` is the cursor of the page behind, null at the end. */
export const logRoute: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/log',
  name: 'log',
  summary: 'Commits in pages, oldest first; or latest first with order=desc',
  query: [
    { name: 'cursor', kind: 'count', summary: 'next of the page before' },
    { name: 'limit', kind: 'count', summary: `commits in a page: ${USUAL}, at most ${MOST}` },
    { name: 'order', kind: 'text', summary: 'asc or desc' },
    { name: 'since', kind: 'text', summary: 'from this point on, itself included; behind it when it is a time' },
    { name: 'until', kind: 'text', summary: 'up to this point, itself included' },
    ...FILTERS,
  ],
  run: ({ desk, id, query }) =>
    desk.use(id, async (session) => {
      const since = query.text('since')
      const until = query.text('until')
      const range = {
        after: since === undefined ? 0 : await lastBefore(session, since),
        until: until === undefined ? session.seq : await lastBy(session, until),
      }
      const page = { ...range, filter: filterOf(query), limit: limitOf(query), cursor: query.count('cursor') }
      const commits: Range = (from, to) => desk.commits(session, from, to)
      const { kept, next } = isDescending(query) ? await latest(commits, page) : await earliest(commits, page)
      return { schema: 'log', data: kept.map(commitData), more: { next, seq: session.seq } }
    }),
}

interface Page {
  readonly after: number
  readonly until: number
  readonly filter: LogFilter
  readonly limit: number
  readonly cursor: number | undefined
}

interface Kept {
  readonly kept: readonly Commit[]
  readonly next: string | null
}

async function earliest(commits: Range, { after, until, filter, limit, cursor = 0 }: Page): Promise<Kept> {
  const found: Commit[] = []
  let room = MOST_CHARACTERS
  for await (const commit of commits(Math.max(after, cursor), until)) {
    if (!passes(filter, commit)) continue
    room -= charactersOf(commit)
    if (found.push(commit) > limit || (room < 0 && found.length > 1)) break
  }
  return pageOf(found, limit)
}

/** The cursor is the first commit that was shown already. */
async function latest(commits: Range, { after, until, filter, limit, cursor = Infinity }: Page): Promise<Kept> {
  const fits = (commit: Commit) => passes(filter, commit)
  const end = Math.min(until, cursor - 1)
  const found = await latestOf(commits, { after, until: end, most: limit + 1, fits, room: MOST_CHARACTERS })
  return pageOf(found.toReversed(), limit)
}

/** As many as there is room for, but at least one; one more tells that there is a page behind. */
function pageOf(found: readonly Commit[], limit: number): Kept {
  let room = MOST_CHARACTERS
  const end = found.findIndex((commit, place) => (room -= charactersOf(commit)) < 0 && place > 0)
  const kept = found.slice(0, end < 0 ? limit : Math.min(end, limit))
  return { kept, next: kept.length < found.length ? String(kept.at(-1)?.seq ?? 0) : null }
}

function limitOf(query: Query): number {
  const limit = query.count('limit') ?? USUAL
  if (limit >= 1 && limit <= MOST) return limit
  throw usage(`limit is 1 to ${MOST}, not ${limit}`, `limit=${USUAL}`)
}

function isDescending(query: Query): boolean {
  const order = query.text('order') ?? 'asc'
  if (order === 'asc' || order === 'desc') return order === 'desc'
  throw usage(`order is asc or desc, not ${JSON.stringify(order)}`, 'order=desc')
}

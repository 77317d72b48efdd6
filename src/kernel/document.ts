/*
 * Reads the document of a session: gathers what its views want to know, then makes them of one state, in one go.
 */
import { Chain, START } from './chain.ts'
import { decodeCheckpoint } from './checkpoint.ts'
import type { Commit } from './commit.ts'
import type { Kernel } from './kernel.ts'
import type { Tree } from './module.ts'
import { isSingular, parsePath } from './path.ts'
import { replay } from './replay.ts'
import { readDocument, touched, touchedByQuery, type Derived, type Place, type StoreFacts, type Wants } from './view.ts'

/** A state, and where in the log it stands. */
export interface Moment {
  readonly state: Readonly<Tree>
  readonly seq: number
  /** Time of its last commit, ISO 8601; empty before the first. */
  readonly at: string
}

/** What is at each path; for a query, the list of what it finds. */
export async function readAll(
  kernel: Kernel,
  session: string,
  paths: readonly string[],
  moment: () => Moment,
): Promise<{ readonly values: Readonly<Record<string, unknown>>; readonly seq: number }> {
  const { all } = kernel.places
  const engine = paths.every(isSingular) ? undefined : await kernel.queryEngine()
  const wanted = paths.map((path) => {
    if (isSingular(path))
      return { path, keys: parsePath(path), query: undefined, places: touched(all, parsePath(path)) }
    return { path, keys: [], query: engine?.compile(path), places: touchedByQuery(all, path) }
  })
  const made = await derive(kernel, session, [...new Set(wanted.flatMap(({ places }) => places))], moment)
  const values = wanted.map(({ path, keys, query, places }) => {
    const derived = made.derived.filter(({ place }) => places.includes(place))
    const value = readDocument(made.moment.state, derived, keys)
    return [path, query === undefined ? value : query.values(value)]
  })
  return { values: Object.fromEntries(values), seq: made.moment.seq }
}

/** What a query is asked of. */
export async function readQueried(
  kernel: Kernel,
  session: string,
  query: string,
  moment: () => Moment,
): Promise<unknown> {
  const places = touchedByQuery(kernel.places.all, query)
  if (places.length === 0) return moment().state
  const { moment: now, derived } = await derive(kernel, session, places, moment)
  return readDocument(now.state, derived, [])
}

/** The moment is asked for last: a session in use goes on while the rest is gathered. */
async function derive(kernel: Kernel, session: string, places: readonly Place[], moment: () => Moment) {
  const views = await Promise.all(places.map(async (place) => ({ place, view: await place.load() })))
  const wants = views.map(({ view }) => view.wants ?? {})
  const facts = places.length === 0 ? undefined : await gather(kernel, session, wants, moment().seq)
  const now = moment()
  const about = { session, seq: now.seq, at: now.at, now: kernel.host.now(), store: undefined, recent: [], ...facts }
  return {
    moment: now,
    derived: views.map(({ place, view }): Derived => ({ place, value: view.derive(now.state, about) })),
  }
}

async function gather(kernel: Kernel, session: string, wants: readonly Wants[], seq: number) {
  const count = Math.max(...wants.map(({ recent = 0 }) => recent))
  return {
    store: wants.some(({ store }) => store === true) ? await storeFacts(kernel, session) : undefined,
    recent: count === 0 ? [] : await recentCommits(kernel, session, seq, count),
  }
}

async function storeFacts({ log, host, facts }: Kernel, session: string): Promise<StoreFacts> {
  const told = (await facts?.(session)) ?? { segments: [] }
  const bytes = await log.checkpoints?.get(session)
  const decoded = bytes && decodeCheckpoint(bytes, host, { inParts: true })
  const checkpoint = decoded && {
    seq: decoded.position.seq,
    at: decoded.at,
    stateHash: decoded.stateHash,
    bytes: decoded.bytes,
  }
  return { ...told, checkpoint }
}

async function recentCommits(
  { log, host }: Kernel,
  session: string,
  seq: number,
  count: number,
): Promise<readonly Commit[]> {
  let last: readonly Commit[] = []
  // What follows damage is not to be believed; who reads is told of it elsewhere.
  for await (const commits of replay(log, session, new Chain(START, host.sha256))) {
    last = [...last, ...commits.filter((commit) => commit.seq <= seq)].slice(-count)
  }
  return last
}

/*
 * Reads the document of a session: gathers what its views want to know, then makes them of one state, in one go, in which
 * what is found is copied, too, where the state goes on.
 */
import { EngineError } from '../error.ts'
import { inTurn } from '../in-turn.ts'
import type { Kernel } from '../kernel.ts'
import type { Commit } from '../log/commit.ts'
import { latestOf, type Range } from '../log/latest.ts'
import { getAt, isSingular, parsePath, type Keys } from '../path/path.ts'
import type { QueryNode } from '../path/query.ts'
import { decodeCheckpoint } from '../replica/checkpoint.ts'
import { copyJson } from '../state/edit.ts'
import { sliceOf, type Tree } from '../state/module.ts'
import {
  graft,
  meets,
  namesOf,
  readDocument,
  touched,
  touchedByQuery,
  type CheckpointFacts,
  type Derived,
  type Place,
  type Wants,
} from './view.ts'

/** A state, and where in the log it stands. */
export interface Moment {
  readonly state: Readonly<Tree>
  readonly seq: number
  /** Time of its last commit, ISO 8601; empty before the first. */
  readonly at: string
  /** Later commits change the state: what is found in it is copied. */
  readonly goesOn?: boolean
}

/** Where it is read: the session, and how to read its log. */
export interface Source {
  readonly session: string
  readonly commits: Range
  readonly isDamaged: boolean
}

/** What is at each path; for a query, the list of what it finds. */
export async function readAll(
  kernel: Kernel,
  source: Source,
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
  const make = await deriving(kernel, source, [...new Set(wanted.flatMap(({ places }) => places))], moment)
  const made = make()
  const values = wanted.map(({ path, keys, query, places }) => {
    const derived = made.derived.filter(({ place }) => places.includes(place))
    const state = made.moment.state
    const value = readDocument(
      query === undefined ? begun(kernel, state, keys) : queried(kernel, state, path),
      derived,
      keys,
    )
    return [path, query === undefined ? value : query.values(value)] as const
  })
  return { values: Object.fromEntries(made.moment.goesOn === true ? copyJson(values) : values), seq: made.moment.seq }
}

/** What a query finds, each with its place. */
export async function findNodes(
  kernel: Kernel,
  source: Source,
  jsonpath: string,
  moment: () => Moment,
): Promise<readonly QueryNode[]> {
  const query = (await kernel.queryEngine()).compile(jsonpath)
  const make = await deriving(kernel, source, touchedByQuery(kernel.places.all, jsonpath), moment)
  const { moment: now, derived } = make()
  const nodes = query(readDocument(queried(kernel, now.state, jsonpath), derived, []))
  return now.goesOn === true ? nodes.map(({ value, path }) => ({ value: copyJson(value), path })) : nodes
}

/** V4 */
function queried(kernel: Kernel, state: Readonly<Tree>, query: string): Readonly<Tree> {
  const names = namesOf(query)
  return names === undefined ? state : begun(kernel, state, names)
}

/** V5: what a path that no view has a say in reads where nothing is stored. */
export function beginningAt(kernel: Kernel, state: Readonly<Tree>, path: string): unknown {
  const keys = parsePath(path)
  return getAt(begun(kernel, state, keys), keys)
}

/** V5: the state, with what is read at `keys` of modules that nothing happened in. */
function begun({ modules, places }: Kernel, state: Readonly<Tree>, keys: Keys): Readonly<Tree> {
  const whole = keys.length > 0 ? state : { ...Object.fromEntries(places.first.map((each) => [each, {}])), ...state }
  return modules
    .filter(({ slice }) => sliceOf(state, slice) === undefined && meets(slice.split('.'), keys))
    .reduce((tree, { slice, initial }) => graft(tree, slice.split('.'), initial()), whole)
}

/** The moment is asked for last, when all is made of it: a session in use goes on while the rest is gathered. */
async function deriving(kernel: Kernel, source: Source, places: readonly Place[], moment: () => Moment) {
  const views = await Promise.all(places.map(async (place) => ({ place, view: await inTurn(place.load) })))
  const wants = views.map(({ view }) => view.wants ?? {})
  const facts = await gather(kernel, source, wants, moment().seq)
  return () => {
    const now = moment()
    const context = {
      session: source.session,
      seq: now.seq,
      at: now.at,
      now: kernel.host.now(),
      isDamaged: source.isDamaged,
      limits: kernel.settings.health,
      ...facts,
    }
    const derived = views.map(({ place, view }): Derived => ({ place, value: view.derive(now.state, context) }))
    return { moment: now, derived }
  }
}

async function gather(kernel: Kernel, source: Source, wants: readonly Wants[], seq: number) {
  const { session } = source
  const count = Math.max(0, ...wants.map(({ recent = 0 }) => recent))
  return {
    store: wants.some(({ store }) => store === true) ? await kernel.facts?.(session) : undefined,
    checkpoint: wants.some(({ checkpoint }) => checkpoint === true)
      ? await checkpointFacts(kernel, session)
      : undefined,
    recent: count === 0 ? [] : await recentCommits(source, seq, count),
  }
}

async function checkpointFacts({ log, host }: Kernel, session: string): Promise<CheckpointFacts | undefined> {
  const file = await log.checkpoints?.get(session)
  const found = file && decodeCheckpoint(file, host, { inParts: true })
  return found && { seq: found.position.seq, at: found.at, stateHash: found.stateHash, bytes: found.bytes }
}

const UNREAD: ReadonlySet<string> = new Set(['LOG_CORRUPT', 'VERSION_UNKNOWN'])

/** What follows damage is not to be believed; who reads is told of it elsewhere. */
async function recentCommits({ commits }: Source, seq: number, most: number): Promise<readonly Commit[]> {
  try {
    return await latestOf(commits, { after: 0, until: seq, most, fits: () => true })
  } catch (error) {
    if (error instanceof EngineError && UNREAD.has(error.code)) return []
    throw error
  }
}

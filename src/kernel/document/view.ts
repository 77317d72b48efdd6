/*
 * The document: what is stored, and at some places what is made of it when somebody reads.
 *
 *   stored      { session, organization, execution: { tasks, … }, … }
 *   views       'persistence', 'communication.channels', …     place ─► function of the state and of a context
 *   document    { session, organization, execution, communication: { channels, … }, persistence, … }
 *
 * V1. What a view makes is in no log, no checkpoint and no hash.
 * V2. A path that names no view's place, nor anything around one, is read from what is stored, and loads nothing.
 * V3. A path reads what it finds in the whole document; where that leaves a stored null out, its own path reads the null.
 * V4. A query that begins with no name sees what is stored, so that it finds each thing once.
 * V5. The document has every module's part, also before anything happened there, and the whole of it its first sections in
 *     order.
 */
import type { Thresholds } from '../health.ts'
import { isMembers } from '../json/members.ts'
import type { LogFacts } from '../log-facts.ts'
import type { Commit } from '../log/commit.ts'
import { getAt, isSingular, parsePath, readerOf, type Keys, type Reader } from '../path/path.ts'
import { peekAt } from '../replica/parts.ts'
import type { Tree } from '../state/module.ts'
import { cachedByText } from '../text/cache.ts'

const REMEMBERED = 2000

/** What a view may know besides the state. */
export interface ViewContext {
  readonly session: string
  /** Of the last commit the state holds; `at` is empty before the first. */
  readonly seq: number
  readonly at: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether the log is damaged behind what could be read of it. */
  readonly isDamaged: boolean
  /** Of the workspace. */
  readonly limits: Thresholds
  /** What the place where the session is kept tells of it; undefined where that tells nothing, or no view wants it. */
  readonly store: LogFacts | undefined
  /** The one that stands in the store. */
  readonly checkpoint: CheckpointFacts | undefined
  /** The last commits up to `seq`, the latest at the end, at least as many as wanted where there are; sound ones only. */
  readonly recent: readonly Commit[]
}

export interface CheckpointFacts {
  readonly seq: number
  readonly at: string
  readonly stateHash: string
  readonly bytes: number
}

export interface Wants {
  readonly store?: true
  readonly checkpoint?: true
  /** Commits. */
  readonly recent?: number
}

export interface View {
  /** What is looked up before `derive`; what nobody wants costs nothing. */
  readonly wants?: Wants
  /** What stands at its place in the document; undefined when nothing does, whatever is stored there. */
  readonly derive: (state: Readonly<Tree>, context: ViewContext) => unknown
}

/** Place in the document, dotted -> its view, loaded on use. No place lies inside another. */
export type Views = Readonly<Record<string, () => Promise<View>>>

export interface Place {
  readonly keys: readonly string[]
  readonly load: () => Promise<View>
  /** Only what is around it is touched. */
  readonly isOuter: boolean
}

export interface Places {
  readonly all: readonly Place[]
  /** What the whole document begins with; the other sections follow. */
  readonly first: readonly string[]
  /** V2: reads a path from what is stored; null where a view has a say. */
  readonly reader: (path: string) => Reader | null
}

interface More {
  /** Views that have a say only when something around their place is read. */
  readonly outer?: Views
  readonly first?: readonly string[]
}

export function placesOf(views: Views, { outer = {}, first = [] }: More = {}): Places {
  let known: readonly Place[] | undefined
  const all = () => (known ??= [views, outer].flatMap((each) => laidOut(each, each === outer)))
  const reader = cachedByText(REMEMBERED, (path) => {
    const keys = parsePath(path)
    return touched(all(), keys).length > 0 ? null : readerOf(keys)
  })
  return {
    get all() {
      return all()
    },
    first,
    reader,
  }
}

const laidOut = (views: Views, isOuter: boolean): readonly Place[] =>
  Object.entries(views).map(([place, load]) => ({ keys: place.split('.'), load, isOuter }))

/** V2: those that `keys` names, is in, or is around. */
export const touched = (places: readonly Place[], keys: Keys): readonly Place[] =>
  places.filter((place) => meets(place.keys, keys) && !(place.isOuter && keys.length >= place.keys.length))

/** Whether one of the two lies in the other. */
export const meets = (place: Keys, keys: Keys): boolean => keys.every((key, i) => i >= place.length || key === place[i])

const NAMES = /^\$?(?:\.?[A-Za-z_][\w-]*|\['[^'\\]*'\]|\["[^"\\]*"\])*/
const NAME = /[A-Za-z_][\w-]*|(?<=')[^']*(?=')|(?<=")[^"]*(?=")/g

/** V4: the names a query begins with; undefined for one that looks at what is stored. */
export function namesOf(query: string): readonly string[] | undefined {
  const names = (NAMES.exec(query)?.[0] ?? '').match(NAME) ?? []
  return names.length === 0 && !isSingular(query) ? undefined : names
}

/** The places that a query may look at. */
export function touchedByQuery(places: readonly Place[], query: string): readonly Place[] {
  const names = namesOf(query)
  return names === undefined ? [] : touched(places, names)
}

export interface Derived {
  readonly place: Place
  readonly value: unknown
}

/** V3: what stands at `keys` of the document. */
export function readDocument(state: unknown, derived: readonly Derived[], keys: Keys): unknown {
  const around = derived.find(({ place }) => place.keys.length <= keys.length)
  if (around !== undefined) return getAt(around.value, keys.slice(around.place.keys.length))
  return derived.reduce(
    (whole, { place, value }) => placed(whole, place.keys.slice(keys.length), value),
    peekAt(state, keys),
  )
}

function placed(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  return key === undefined ? value : graft(isMembers(target) ? target : {}, [key, ...rest], value)
}

/** A copy with `value` at `keys`, or without anything there; what stands beside the way is shared. */
export function graft(target: Readonly<Tree>, [key = '', ...rest]: readonly string[], value: unknown): Readonly<Tree> {
  const member = placed(target[key], rest, value)
  if (member !== undefined) return { ...target, [key]: member }
  const { [key]: _, ...others } = target
  return others
}

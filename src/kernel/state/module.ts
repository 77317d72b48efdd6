import type { Accepted, Refusal } from '../decision.ts'
import type { Event } from '../log/commit.ts'
import { cachedByText } from '../text/cache.ts'
import type { Edit } from './edit.ts'

const KNOWN = 100

/** The whole state: one JSON tree, one slice a module. */
export type Tree = Record<string, unknown>

/** What `evolve` may know of the commit around an event. */
export interface Meta {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly root: Tree
}

export type Handler = (slice: Record<string, unknown>, data: unknown, edit: Edit, meta: Meta) => void

/** A part of the domain: one slice of the tree and the only emitter of the events that change it. */
export interface Module {
  /** Where in the tree it is: a member, or a member of a member, such as `execution.tasks`. */
  readonly slice: string
  readonly initial: () => Record<string, unknown>
  readonly evolve: Readonly<Record<string, Handler>>
  /** The types that `evolve` folds, where asking that itself would load the module. */
  readonly events?: readonly string[]
  /** Facts that time alone brought about, told by the next operation: its name, and the seq of its commit. */
  readonly expire?: (root: Readonly<Tree>, now: number, seq: number, operation?: string) => readonly Event[]
  /**
   * The moment after which `expire` will next have something to tell, unless something else happens before; O(1).
   * A program that stays awake writes then. A module that has `expire` alone is asked every second.
   */
  readonly due?: (root: Readonly<Tree>) => number | undefined
  /** Instead of `due`: where in the tree a heap of such moments stands. The module is not asked before the least of them. */
  readonly deadlines?: string
  /** What a commit brings about by itself: told in it, of the state as it leaves it. */
  readonly follow?: (root: Readonly<Tree>, now: number, seq: number) => readonly Event[]
  /** A rule over all operations, such as "an ended session takes no writes". What it lets pass it may put on record. */
  readonly guard?: (
    root: Readonly<Tree>,
    operation: string,
    actor: string,
    now: number,
  ) => Refusal | Accepted | undefined
  /** Names a person gave to sequence numbers. */
  readonly marks?: (root: Readonly<Tree>) => Readonly<Record<string, number>>
}

interface Definition<Slice, Events extends Event> extends Pick<
  Module,
  'slice' | 'expire' | 'due' | 'deadlines' | 'follow' | 'guard' | 'marks'
> {
  readonly initial: () => Slice
  readonly evolve: {
    readonly [E in Events as E['type']]: (slice: Slice, data: E['data'], edit: Edit, meta: Meta) => void
  }
}

/** Forgets the types of slice and events, so that modules fit in one list. */
export function defineModule<Slice extends object, Events extends Event>(
  definition: Definition<Slice, Events>,
): Module {
  // Handlers meet only events that this module's own operations wrote, and the slice its `initial` made.
  return definition as unknown as Module
}

/** A module's own slice for reading; undefined before its first event. */
export const sliceOf = <Slice>(root: Readonly<Tree>, slice: string): Slice | undefined =>
  sliceAt<Slice>(root, sliceKeys(slice))

/** The same, for those who look at every commit: where the slice stands is found once. */
export function sliceReader<Slice>(slice: string): (root: Readonly<Tree>) => Slice | undefined {
  const keys = sliceKeys(slice)
  return (root) => sliceAt<Slice>(root, keys)
}

function sliceAt<Slice>(root: Readonly<Tree>, [first, second]: SliceKeys): Slice | undefined {
  const outer = root[first]
  // A slice is written by its module alone, whose types vouch for it.
  return (second === undefined ? outer : (outer as Readonly<Tree> | undefined)?.[second]) as Slice | undefined
}

export type SliceKeys = readonly [first: string, second?: string]

export const sliceKeys = cachedByText(KNOWN, (slice): SliceKeys => {
  const [first = '', second] = slice.split('.')
  return second === undefined ? [first] : [first, second]
})

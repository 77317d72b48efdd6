/*
 * The views of a conversation, kept beside the state and brought up to date when they are read.
 *
 *   threads ──those that redirect here, and what a fork shares──► Order ──► Story
 *
 * C6. Bringing one up to date costs what has arrived since. What was kept is believed only while the sum of the ids it
 *     has taken in is still that of the state, since an append that failed takes events back.
 */
import { ViewCache } from './cache.ts'
import { added, threadOf } from './conversation.ts'
import type { ConversationSlice, Thread } from './events.ts'
import { graphOf, groupedBy, type Graph } from './links.ts'
import { Order, type Placed } from './order.ts'
import { emptyStory, hasSay, tell, type Rules } from './story.ts'
import { isKey } from './tags.ts'
import type { Story } from './told.ts'

const KEY_LENGTH = 64
/** Forks of forks of forks. */
const DEEPEST = 32

export interface Timeline {
  /** The conversation that others have been merged into, or the one that was asked for. */
  readonly id: string
  /** Conversations that it is made of, itself first. */
  readonly threads: readonly string[]
  /** Those, and the ones that a fork shares a past with. */
  readonly sources: readonly string[]
  readonly list: readonly Placed[]
  readonly byId: ReadonlyMap<string, Placed>
  readonly story: Story
  readonly size: number
  /** How many of them have no text. */
  readonly silent: number
  /** The same for the same set of events. */
  readonly stamp: string
  /** Whether something in it stands behind that event. */
  readonly isFollowed: (id: string) => boolean
}

/** Undefined when nothing was said under that id. */
export const timelineOf = (slice: ConversationSlice, id: string, now = 0): Timeline | undefined =>
  new Reader(slice, now).timeline(id)

/** The conversation that the readers of this one are led to. */
export const redirected = (slice: ConversationSlice, id: string): string => new Reader(slice, 0).redirect(id)

/** Reads several conversations of one state: what they have in common is looked at once (C8). */
export class Reader {
  readonly #slice: ConversationSlice
  readonly #now: number
  readonly #graph: Graph | undefined
  readonly #known = new Map<string, Timeline | undefined>()

  constructor(slice: ConversationSlice, now: number) {
    this.#slice = slice
    this.#now = now
    this.#graph = isEmpty(slice.links) ? undefined : graphOf(slice, this.#hasSay)
  }

  redirect(id: string): string {
    return this.#graph?.redirect(id) ?? id
  }

  timeline(id: string): Timeline | undefined {
    return this.#graph === undefined ? this.#raw(id) : this.#linked(this.#graph, this.redirect(id), 0)
  }

  /** `depth`: how many forks away from the one that was asked for. */
  #linked(graph: Graph, id: string, depth: number): Timeline | undefined {
    const key = `${depth} ${id}`
    if (!this.#known.has(key)) this.#known.set(key, this.#made(graph, id, depth))
    return this.#known.get(key)
  }

  #made(graph: Graph, id: string, depth: number): Timeline | undefined {
    if (depth >= DEEPEST) return undefined
    const others = graph.merged(id)
    const threads = [id, ...others]
    const shared = this.#sharedPast(graph, threads, depth)
    if (others.length === 0 && shared.length === 0) return this.#raw(id)
    // Whose it is does not change with what is merged into it, though that be older.
    const owner = shared.length > 0 ? undefined : this.#raw(id)?.story.opener
    return advance(this.#slice, id, { key: `linked ${id}`, threads, shared, owner, now: this.#now })
  }

  /** What forks have in common with where they came from: everything up to the events they name, in today's order. */
  #sharedPast(graph: Graph, threads: readonly string[], depth: number): readonly Placed[] {
    const ends = groupedBy(
      threads.flatMap((thread) => graph.forkOf(thread) ?? []),
      ({ to }) => graph.redirect(to),
    )
    const shared = new Map<string, Placed>()
    for (const [id, forks] of ends) {
      const list = this.#linked(graph, id, depth + 1)?.list ?? []
      const events = new Set(forks.map(({ event }) => event))
      const end = list.findLastIndex(({ event }) => events.has(event.id))
      for (const placed of list.slice(0, end + 1)) shared.set(placed.event.id, placed)
    }
    return [...shared.values()]
  }

  #raw = (id: string): Timeline | undefined =>
    advance(this.#slice, id, { key: `raw ${id}`, threads: [id], shared: [], owner: undefined, now: this.#now })

  #hasSay = (id: string, author: string): boolean => {
    const own = this.#raw(id)
    return own !== undefined && hasSay(own.story, author)
  }
}

interface Parts {
  readonly key: string
  readonly threads: readonly string[]
  readonly shared: readonly Placed[]
  readonly owner: string | undefined
  readonly now: number
}

class View implements Timeline {
  readonly id: string
  readonly threads: readonly string[]
  readonly sources: readonly string[]
  readonly #shared: string
  readonly #order = new Order()
  readonly #taken = new Map<string, { readonly count: number; readonly mix: number }>()
  #told = 0
  #rules: Rules = { advisory: false, owner: undefined }
  silent = 0
  story: Story = emptyStory()

  constructor(id: string, { threads, shared }: Parts) {
    this.id = id
    this.threads = threads
    this.sources = [...new Set([...threads, ...shared.map(({ thread }) => thread)])]
    this.#shared = idsOf(shared)
    this.#add(shared)
  }

  get list(): readonly Placed[] {
    return this.#order.list
  }

  get byId(): ReadonlyMap<string, Placed> {
    return this.#order.byId
  }

  get size(): number {
    return this.#order.list.length
  }

  get stamp(): string {
    return [...this.#taken].map(([id, { count, mix }]) => `${id} ${count} ${mix}`).join() + this.#shared
  }

  isFollowed = (id: string): boolean => this.#order.isFollowed(id)

  /** Whether all that it has taken in is still there, and nothing else is asked of it. */
  isOf(slice: ConversationSlice, { threads, shared }: Parts): boolean {
    if (threads.join() !== this.threads.join() || idsOf(shared) !== this.#shared) return false
    return threads.every((id) => {
      const { count, mix } = this.#taken.get(id) ?? { count: 0, mix: 0 }
      const thread = threadOf(slice, id)
      if (thread === undefined || thread.events.length < count) return count === 0
      return thread.events.slice(count).reduce((sum, event) => added(sum, event.id), mix) === thread.mix
    })
  }

  takeIn(slice: ConversationSlice, owner: string | undefined): void {
    const threads = this.threads.flatMap((id) => threadOf(slice, id) ?? [])
    const changed = this.#add(threads.flatMap((thread) => this.#newOf(thread)))
    const rules = { advisory: slice.config.advisory, owner: owner ?? this.#owner() }
    const isNew = rules.advisory !== this.#rules.advisory || rules.owner !== this.#rules.owner
    this.#rules = rules
    if (isNew || changed === 0 || (changed < this.#told && this.list.slice(changed).some((each) => each.isDeciding))) {
      this.story = emptyStory()
      this.#told = 0
    } else if (changed < this.#told) this.#told = this.size
    for (; this.#told < this.size; this.#told++) {
      const placed = this.list[this.#told]
      if (placed !== undefined) tell(this.story, placed, rules)
    }
  }

  #add(events: Parameters<Order['add']>[0]): number {
    this.silent += events.filter(({ event }) => event.content === '').length
    return this.#order.add(events)
  }

  #newOf({ id, events, mix }: Thread) {
    const count = this.#taken.get(id)?.count ?? 0
    this.#taken.set(id, { count: events.length, mix })
    return events
      .slice(count)
      .map((event) => ({ event, thread: id }))
      .filter(({ event }) => !this.#order.byId.has(event.id))
  }

  /** Ids that prove whose conversation it is: that of its first event, or `PUBLIC-KEY:anything`. */
  #owner(): string | undefined {
    const root = this.#order.byId.get(this.id)?.event.pubkey
    const named = this.id.slice(0, KEY_LENGTH)
    return root ?? (isKey(named) && this.id[KEY_LENGTH] === ':' ? named : undefined)
  }
}

const caches = new WeakMap<object, ViewCache<View>>()

function advance(slice: ConversationSlice, id: string, parts: Parts): Timeline | undefined {
  const cache = caches.get(slice) ?? new ViewCache<View>()
  caches.set(slice, cache)
  const kept = cache.get(parts.key)
  const view = kept?.isOf(slice, parts) === true ? kept : new View(id, parts)
  view.takeIn(slice, parts.owner)
  if (view.size === 0) return undefined
  cache.keep(parts.key, view, parts.now)
  return view
}

const idsOf = (shared: readonly Placed[]): string =>
  `${shared.length} ${shared.reduce((sum, { event }) => added(sum, event.id), 0)}`

function isEmpty(links: ConversationSlice['links']): boolean {
  for (const _id in links) return false
  return true
}

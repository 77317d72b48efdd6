/*
 * The views of a conversation, kept beside the state and brought up to date when they are read.
 *
 *   threads ──those that redirect here, and what a fork shares──► Order ──► Story
 *
 * C6. Bringing one up to date costs what has arrived since. What was kept is believed only while the sum of the ids it
 *     has taken in is still that of the state, since an append that failed takes events back.
 */
import { added, threadOf } from './conversation.ts'
import { ViewCache } from './cache.ts'
import type { ConversationSlice, Link, Thread } from './events.ts'
import { Order, type Placed } from './order.ts'
import { emptyStory, hasSay, tell, type Rules, type Story } from './story.ts'
import { isKey } from './tags.ts'

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
}

/** Undefined when nothing was said under that id. */
export function timelineOf(slice: ConversationSlice, id: string, now = 0): Timeline | undefined {
  return isEmpty(slice.links) ? rawTimeline(slice, id, now) : linkedTimeline(slice, id, { now, path: [] })
}

/** The conversation that the readers of this one are led to. */
export function redirected(slice: ConversationSlice, id: string): string {
  return isEmpty(slice.links) ? id : follow(redirects(slice, 0), id)
}

interface Look {
  readonly now: number
  /** Conversations on the way from fork to fork: one that comes again has no past to share. */
  readonly path: readonly string[]
}

function linkedTimeline(slice: ConversationSlice, asked: string, look: Look): Timeline | undefined {
  const leads = redirects(slice, look.now)
  const id = follow(leads, asked)
  if (look.path.includes(id) || look.path.length >= DEEPEST) return undefined
  const within = { now: look.now, path: [...look.path, id] }
  const others = [...leads.keys()].filter((from) => from !== id && follow(leads, from) === id).toSorted()
  const threads = [id, ...others]
  const shared = threads.flatMap((thread) => sharedPast(slice, thread, within))
  if (others.length === 0 && shared.length === 0) return rawTimeline(slice, id, look.now)
  // Whose it is does not change with what is merged into it, though that be older.
  const owner = shared.length > 0 ? undefined : rawTimeline(slice, id, look.now)?.story.opener
  return advance(slice, id, { key: `linked ${id}`, threads, shared, owner, now: look.now })
}

const rawTimeline = (slice: ConversationSlice, id: string, now: number): Timeline | undefined =>
  advance(slice, id, { key: `raw ${id}`, threads: [id], shared: [], owner: undefined, now })

/** Merges in their order; one that would close a circle leads nowhere. */
function redirects(slice: ConversationSlice, now: number): ReadonlyMap<string, string> {
  const leads = new Map<string, string>()
  for (const { from, to } of linksOf(slice, 'merge', now)) {
    const [source, target] = [follow(leads, from), follow(leads, to)]
    if (source !== target) leads.set(source, target)
  }
  return leads
}

function linksOf(slice: ConversationSlice, kind: Link['kind'], now: number): readonly Link[] {
  return Object.values(slice.links)
    .filter((link) => link.kind === kind && mayLink(slice, link, now))
    .toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
}

/** Who merges has a say in both, or anybody could speak in a conversation through one of their own. */
function mayLink(slice: ConversationSlice, { kind, from, to, author }: Link, now: number): boolean {
  const concerned = kind === 'merge' ? [from, to] : [from]
  return concerned.every((id) => {
    const own = rawTimeline(slice, id, now)
    return own !== undefined && hasSay(own.story, author)
  })
}

function follow(leads: ReadonlyMap<string, string>, id: string): string {
  let at = id
  for (let next = leads.get(at); next !== undefined; next = leads.get(at)) at = next
  return at
}

/** What a fork has in common with where it came from: everything up to the event it names, in today's order. */
function sharedPast(slice: ConversationSlice, thread: string, look: Look): readonly Placed[] {
  const link = linksOf(slice, 'fork', look.now).find(({ from }) => from === thread)
  if (link === undefined) return []
  const past = linkedTimeline(slice, link.to, look)
  const end = past?.list.findIndex(({ event }) => event.id === link.event) ?? -1
  return past?.list.slice(0, end + 1) ?? []
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

/*
 * A store and a relay telling each other what they have.
 *
 *   outbox ──publish──► OK ──► noted      live: everything new      backfill: since the last seen, less an overlap
 *                                         gaps: what events stand behind and has not come, by id
 *
 * R1. What is published was saved before, and is noted when the relay has answered. A process that dies in between
 *     publishes it again; the relay has it once, since its id is its hash.
 * R2. What others posted while they were apart is older than what was seen last. So the backfill goes back further, and
 *     what later events stand behind is asked for by name.
 *     That holds for conversations the relay was asked for before; of any other it is asked for the whole past.
 * R3. A relay that is gone, or gives nothing, is tried again, later each time, until somebody ends it.
 * R4. A session that has ended or left takes nothing in any more: no relay can help that, so none is asked again.
 * R5. A conversation begins here when it was asked for, or what is here stands behind it, and never because somebody
 *     elsewhere names one of ours.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Filter } from 'nostr-tools/filter'
import { asError, EngineError } from '../../kernel/error.ts'
import { inParts } from '../../kernel/operation/in-parts.ts'
import { backOff } from './back-off.ts'
import { emptyExchange, type ChatStore, type Exchanged } from './exchange.ts'
import { Inbox } from './inbox.ts'
import { RelayLink, type LinkOptions, type RelayEvent } from './link.ts'
import { offerAgain, publishAll } from './publish.ts'

export interface SyncOptions extends LinkOptions {
  /** Conversations to take part in that are not here yet. */
  readonly join: readonly string[]
  /** Seconds that a backfill goes back behind what was seen last; everything, and what was refused too, when Infinity. */
  readonly overlap: number
}

const PAGE = 500
const AT_A_TIME = 200
const MOST_NAMED = 100
const MOST_ROUNDS = 1000
const AHEAD_S = 900

/** One exchange; over when both have what the other had. */
export async function syncOnce(url: string, store: ChatStore, options: SyncOptions): Promise<Exchanged> {
  const link = await RelayLink.open(url, options)
  try {
    return await exchange(link, store, options, emptyExchange(url))
  } finally {
    link.close()
  }
}

/**
 * Goes on until the signal aborts; tells of every exchange that changed something, and of every relay that went (R3).
 * Rejects where the store is closed for good (R4).
 */
export async function syncLive(
  url: string,
  store: ChatStore,
  options: SyncOptions & { readonly tell: (what: Exchanged | Error) => void; readonly random: () => number },
): Promise<void> {
  for (let failures = 0; !options.signal.aborted; failures++) {
    try {
      const link = await RelayLink.open(url, options)
      await converse(link, store, options, () => (failures = 0))
    } catch (error) {
      if (isForGood(error)) throw error
      if (!options.signal.aborted) options.tell(asError(error))
    }
    await sleep(backOff(failures, options.random()), undefined, { signal: options.signal }).catch(() => undefined)
  }
}

/** R4 */
function isForGood(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false
  const { code, details } = error
  return OVER.has(code) || (code === 'SESSION_NOT_WRITABLE' && ENDING.has(String(details?.['status'])))
}

const OVER: ReadonlySet<string> = new Set(['SESSION_DEPARTED', 'SESSION_NOT_FOUND'])
const ENDING: ReadonlySet<string> = new Set(['terminating', 'terminated'])

type Live = Parameters<typeof syncLive>[2]

/** One connection's life: live first, so that nothing falls between it and the backfill. `served`: it gave what it had. */
async function converse(link: RelayLink, store: ChatStore, options: Live, served: () => void): Promise<void> {
  let wanted: readonly string[] = []
  const inbox = new Inbox((events) => takeIn(only(store, wanted), events, link.url))
  const gaps = new Set<string>()
  let [heard, tries] = [-1, 0]
  let stop: (() => void) | undefined
  let isOpen = true
  const over = link.closed.then(() => {
    isOpen = false
  })
  try {
    while (isOpen && !options.signal.aborted) {
      const { conversations, kinds } = await store.exchange(link.url)
      wanted = [...new Set([...conversations, ...options.join])]
      const isNew = wanted.length !== heard
      if (isNew && wanted.length > 0) {
        stop?.()
        stop = await link.subscribe(filtersFor(wanted, kinds), (event) => inbox.add(event))
      }
      const done = emptyExchange(link.url)
      done.received += await inbox.empty()
      const again = heard < 0 ? options : { ...options, overlap: 0 }
      await (isNew ? exchange(link, store, again, done) : owe(link, store, { done, gaps }))
      heard = wanted.length
      served()
      tries = done.waiting === 0 ? 0 : tries + 1
      if (done.received + done.published + done.refused + done.waiting > 0) options.tell(done)
      const pause = tries === 0 ? Infinity : backOff(tries, options.random())
      await something(store, [inbox.full(), over], options.signal, pause)
    }
  } finally {
    link.close()
    await inbox.empty()
  }
}

/** Until one of these, a write to the store, or so many milliseconds. */
async function something(
  store: ChatStore,
  events: readonly Promise<void>[],
  signal: AbortSignal,
  pause: number,
): Promise<void> {
  const enough = new AbortController()
  const over = AbortSignal.any([enough.signal, signal])
  const later = Number.isFinite(pause) ? [sleep(pause, undefined, { signal: over }).catch(() => undefined)] : []
  try {
    await Promise.race([store.changed(over), ...events, ...later])
  } finally {
    enough.abort()
  }
}

async function exchange(link: RelayLink, store: ChatStore, options: SyncOptions, done: Exchanged): Promise<Exchanged> {
  if (!Number.isFinite(options.overlap)) await offerAgain(link, store, done)
  await publishAll(link, store, done)
  const { since, kinds, conversations, fresh } = await store.exchange(link.url)
  const from = Number.isFinite(options.overlap) ? Math.max(0, since - options.overlap) : 0
  const whole = new Set([...fresh, ...options.join.filter((id) => !conversations.includes(id))])
  const asked = conversations.filter((id) => !whole.has(id))
  const filters = [
    ...filtersFor(asked, kinds).map((filter) => ({ ...filter, since: from })),
    ...filtersFor([...whole], kinds),
  ]
  let newest = since
  const those = only(store, [...asked, ...whole])
  for (const filter of filters) newest = Math.max(newest, await backfill(link, those, filter, done))
  await fillGaps(link, store, { done, gaps: new Set() })
  const now = Math.floor(Date.now() / 1000) + AHEAD_S
  await store.synced({ relay: link.url, since: Math.min(newest, now), whole: [...whole] })
  return done
}

interface Owing {
  readonly done: Exchanged
  /** Ids that this relay was asked for. */
  readonly gaps: Set<string>
}

async function owe(link: RelayLink, store: ChatStore, owing: Owing): Promise<void> {
  await publishAll(link, store, owing.done)
  await fillGaps(link, store, owing)
}

/** Page by page from the newest on; answers the newest time. */
async function backfill(link: RelayLink, store: Taking, filter: Filter, done: Exchanged): Promise<number> {
  let newest = 0
  let until: number | undefined
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const page: RelayEvent[] = []
    await link.request({ ...filter, limit: PAGE, ...(until === undefined ? {} : { until }) }, (event) =>
      page.push(event),
    )
    const oldest = page.reduce((least, { created_at }) => Math.min(least, created_at), Infinity)
    newest = page.reduce((most, { created_at }) => Math.max(most, created_at), newest)
    done.received += await takeIn(store, page, link.url)
    // A relay may give less than was asked for and still have more; it has not when nothing older comes. What a second
    // has beyond a page is found when something stands behind it.
    if (page.length === 0) return newest
    until = oldest === until ? oldest - 1 : oldest
  }
  return newest
}

/** R2. Asked for again only while the relay gives some of them: it may give less than was asked for. */
async function fillGaps(link: RelayLink, store: ChatStore, { done, gaps }: Owing): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { missing } = await store.exchange(link.url)
    const ids = missing.filter((id) => !gaps.has(id)).slice(0, MOST_NAMED)
    if (ids.length === 0) return
    const found: RelayEvent[] = []
    await link.request({ ids }, (event) => found.push(event))
    const received = await takeIn(store, found, link.url)
    if (received === 0) for (const id of ids) gaps.add(id)
    done.received += received
  }
}

type Taking = Pick<ChatStore, 'ingest'>

/** R5. A filter matches whatever names a conversation among others, such as a quotation of it elsewhere. */
const only = (store: ChatStore, conversations: readonly string[]): Taking => ({
  ingest: (events, relay) => store.ingest(events, relay, conversations),
})

async function takeIn(store: Taking, events: readonly RelayEvent[], relay: string): Promise<number> {
  let received = 0
  // Oldest first: a relay gives the newest first, and what is in order costs less to fold.
  const sorted = events.toSorted((a, b) => a.created_at - b.created_at)
  await inParts(sorted, AT_A_TIME, async (part) => {
    received += await store.ingest(part, relay)
  })
  return received
}

const HASH = /^[0-9a-f]{64}$/

/** Conversations are named by `d`, or by the id of their first event. Relays bound how many a filter may name. */
function filtersFor(conversations: readonly string[], kinds: readonly number[]): readonly Filter[] {
  const filters: Filter[] = []
  for (let at = 0; at < conversations.length; at += MOST_NAMED) {
    const names = conversations.slice(at, at + MOST_NAMED)
    const roots = names.filter((id) => HASH.test(id))
    filters.push({ kinds: [...kinds], '#d': names })
    if (roots.length === 0) continue
    filters.push({ kinds: [...kinds], '#E': roots }, { kinds: [...kinds], '#e': roots }, { ids: roots })
  }
  return filters
}

/* What stores and relays owe each other: the outbox of events that were saved here first, and what is missing. */
import { accept } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { conversationsOf, DEFAULT_CONFIG, threadOf } from './conversation.ts'
import type { Decided } from './decide.ts'
import type { ChatEvent, ConversationSlice, RelayNotes, SyncNote } from './events.ts'

type State = Readonly<Tree>

/** Said again it adds nothing. */
export function decideSynced(state: State, note: SyncNote): Decided {
  const slice = conversationsOf(state)
  const known = relayOf(slice, note.relay)
  const published = (note.published ?? []).filter(({ id, refused }) => isNews(known, id, refused))
  const since = note.since !== undefined && note.since > known.since ? { since: note.since } : {}
  const asked = (note.whole ?? []).filter((id) => threadOf(slice, id) !== undefined && !isWhole(known, id))
  const whole = asked.length === 0 ? {} : { whole: asked }
  if (published.length === 0 && !('since' in since) && asked.length === 0) return accept()
  return accept({ type: 'chat.synced', data: { relay: note.relay, ...since, published, ...whole } })
}

export interface SyncView {
  /** Newest `created_at` that came from the relay; 0 before the first time. */
  readonly since: number
  readonly kinds: readonly number[]
  readonly conversations: readonly string[]
  /** Those of them whose past this relay has not been asked for. */
  readonly fresh: readonly string[]
  /** Signed here, and not yet answered for by this relay; oldest first. */
  readonly outbox: readonly ChatEvent[]
  /** Signed here, and refused by this relay; oldest first. */
  readonly refused: readonly ChatEvent[]
  /** Ids that events here stand behind, and that have not come. */
  readonly missing: readonly string[]
}

export function syncView(state: State, { relay, most }: { readonly relay: string; readonly most: number }): SyncView {
  const slice = conversationsOf(state)
  if (slice === undefined)
    return { since: 0, kinds: DEFAULT_CONFIG.kinds, conversations: [], fresh: [], outbox: [], refused: [], missing: [] }
  const known = relayOf(slice, relay)
  const { since, published } = known
  const conversations = Object.keys(slice.threads)
  const waiting = slice.outbox.filter((id) => !Object.hasOwn(published, id)).slice(0, most)
  return {
    since,
    kinds: slice.config.kinds,
    conversations,
    fresh: conversations.filter((id) => !isWhole(known, id)),
    outbox: eventsOf(slice, waiting),
    refused: eventsOf(slice, slice.outbox.filter((id) => isRefused(known, id)).slice(0, most)),
    missing: missingIn(slice).slice(0, most),
  }
}

function eventsOf(slice: ConversationSlice, ids: readonly string[]): readonly ChatEvent[] {
  const wanted = new Set(ids)
  const threads = new Set(ids.flatMap((id) => slice.places[id] ?? []))
  const events = [...threads].flatMap((id) => threadOf(slice, id)?.events.filter((event) => wanted.has(event.id)) ?? [])
  const byId = new Map(events.map((event) => [event.id, event]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** An event may be here although it was missed elsewhere. */
const missingIn = (slice: ConversationSlice): readonly string[] =>
  Object.values(slice.threads)
    .flatMap(({ missing }) => Object.keys(missing))
    .filter((id) => !Object.hasOwn(slice.places, id))

const isRefused = ({ published }: RelayNotes, id: string): boolean =>
  Object.hasOwn(published, id) && published[id] !== null

/** What a relay has it has; what it refused it may take, or refuse in other words. */
const isNews = (known: RelayNotes, id: string, refused: string | null): boolean =>
  !Object.hasOwn(known.published, id) || (isRefused(known, id) && known.published[id] !== refused)

const isWhole = ({ whole = {} }: RelayNotes, id: string): boolean => Object.hasOwn(whole, id)

const relayOf = (slice: ConversationSlice | undefined, relay: string): RelayNotes =>
  (slice !== undefined && Object.hasOwn(slice.relays, relay) ? slice.relays[relay] : undefined) ?? {
    since: 0,
    published: {},
  }

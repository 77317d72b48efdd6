/*
 * Conversations: what was said, as a set of events; everything that is read from it is a view.
 *
 *   event ──verified──► received ──► threads[id].events ──► order ──► story, messages, hash      (views)
 *     │                    ▲
 *     ├─ too early ► held ─┘ when its time has come
 *     └─ bad ► quarantined, with the reason
 *
 * C1. Nothing counts that was not checked: the id is the hash of the content, the signature is one of the author's.
 * C2. A conversation is a function of the set of its events: order, number and grouping of deliveries leave no trace in it.
 * C3. Order is (created_at, id), with every event behind those it answers or had seen.
 * C4. An agent sees a message as unread exactly once, and never its trigger, however late the message came.
 * C5. A turn is over when each of its agents has completed at least once, or as its policy says.
 * C6. Adding an event costs what is new.
 * C7. Cursors, sessions, files, times and the outbox belong to this store and are no part of a conversation.
 * C8. Merges and forks cost what there is of them, however they hang together (links.ts).
 */
import type { Event } from '../../kernel/log/commit.ts'
import type { Edit } from '../../kernel/state/edit.ts'
import { emptyHeap, keysUpTo, put, take } from '../../kernel/state/heap.ts'
import { defineModule, sliceReader, type Tree } from '../../kernel/state/module.ts'
import type { AgentNotes, ChatEvent, Config, ConversationEvent, ConversationSlice, SyncNote, Thread } from './events.ts'
import { isKey, linkOf, parentsOf } from './tags.ts'

const CONVERSATION = 'conversation'
/** The last digits of a sum of ids that are kept. */
const MIX = 2 ** 48
const MIX_DIGITS = 12
/** What one event names that it stands behind; others are named by those. */
export const MOST_HEADS = 20

export const DEFAULT_CONFIG: Config = {
  kinds: [1, 11, 1111, 513],
  root_kind: 11,
  post_kind: 1111,
  metadata_kind: 513,
  advisory: false,
}

export const conversationModule = defineModule<ConversationSlice, ConversationEvent>({
  slice: CONVERSATION,
  initial: () => ({
    config: { ...DEFAULT_CONFIG, kinds: [...DEFAULT_CONFIG.kinds] },
    threads: {},
    places: {},
    links: {},
    spoke: {},
    held: {},
    due: emptyHeap(),
    quarantine: {},
    templates: {},
    outbox: [],
    relays: {},
  }),
  evolve: {
    'chat.received': (slice, { conversation, events, origin }, edit) => {
      for (const event of edit.own(events)) {
        receive(slice, conversation, event, edit)
        if (origin === 'local' && event.sig !== null) edit.set(slice.outbox, slice.outbox.length, event.id)
      }
    },
    'chat.held': (slice, { conversation, event, until }, edit) => {
      edit.set(slice.held, event.id, { conversation, event: edit.own(event) })
      put(slice.due, event.id, until, edit)
    },
    'chat.admitted': (slice, { id }, edit) => {
      const held = Object.hasOwn(slice.held, id) ? slice.held[id] : undefined
      take(slice.due, id, edit)
      edit.remove(slice.held, id)
      if (held !== undefined) receive(slice, held.conversation, held.event, edit)
    },
    'chat.quarantined': (slice, data, edit) => edit.set(slice.quarantine, `${data.id} ${data.reason}`, edit.own(data)),
    'chat.seen': (slice, { cursor, ...of }, edit) =>
      note(slice, of, edit, ({ cursor: before }) => ({ cursor: furthest(before, cursor) })),
    'chat.remembered': (slice, { key, value, ...of }, edit) =>
      note(slice, of, edit, ({ memory: { [key]: _old, ...others } }) => ({
        memory: value === null ? others : { ...others, [key]: value },
      })),
    'chat.file-read': (slice, { path, ...of }, edit, { at }) => {
      note(slice, of, edit, () => ({}))
      edit.set(notesOf(threadOf(slice, of.conversation), of.agent).files, path, Date.parse(at))
    },
    'chat.execution-started': (slice, of, edit, { at }) => run(slice, of, edit, { started: at, active: at }),
    'chat.execution-noted': (slice, of, edit, { at }) => run(slice, of, edit, { active: at }),
    'chat.execution-stopped': (slice, { ms, conversation, agent }, edit) =>
      note(slice, { conversation, agent }, edit, ({ execution }) => ({
        execution: { started: null, active: null, total_ms: execution.total_ms + ms },
      })),
    'chat.configured': (slice, data, edit) =>
      edit.set(asRecord(slice), 'config', { ...slice.config, ...edit.own(data) }),
    'chat.template-set': (slice, { name, template }, edit) => {
      if (template === null) edit.remove(slice.templates, name)
      else edit.set(slice.templates, name, edit.own(template))
    },
    'chat.synced': noteRelay,
  },
  expire,
  deadlines: `${CONVERSATION}.due`,
})

function noteRelay(slice: ConversationSlice, { relay, since = 0, published = [], whole = [] }: SyncNote, edit: Edit) {
  const known = (Object.hasOwn(slice.relays, relay) ? slice.relays[relay] : undefined) ?? { since: 0, published: {} }
  const asked = Object.fromEntries(whole.map((id) => [id, true as const]))
  const more = whole.length === 0 ? {} : { whole: { ...known.whole, ...asked } }
  edit.set(slice.relays, relay, { ...known, since: Math.max(known.since, since), ...more })
  for (const { id, refused } of published) edit.set(known.published, id, refused)
}

export const conversationsOf = sliceReader<ConversationSlice>(CONVERSATION)

export const threadOf = (slice: ConversationSlice | undefined, id: string): Thread | undefined =>
  slice !== undefined && Object.hasOwn(slice.threads, id) ? slice.threads[id] : undefined

export const notesOf = (thread: Thread | undefined, agent: string): AgentNotes =>
  (thread !== undefined && Object.hasOwn(thread.agents, agent) ? thread.agents[agent] : undefined) ?? noNotes()

/** What an id adds to the sum of a set of ids. */
export const added = (sum: number, id: string): number => (sum + Number.parseInt(id.slice(0, MIX_DIGITS), 16)) % MIX

/** An event that came too early counts as soon as it is not. */
function expire(root: Readonly<Tree>, now: number): readonly Event[] {
  const slice = conversationsOf(root)
  return slice === undefined ? [] : keysUpTo(slice.due, now).map((id) => ({ type: 'chat.admitted', data: { id } }))
}

/** C2: a second delivery changes nothing. */
function receive(slice: ConversationSlice, conversation: string, event: ChatEvent, edit: Edit): void {
  const { id, pubkey } = event
  if (Object.hasOwn(slice.places, id)) return
  const thread = threadOf(slice, conversation) ?? begin(slice, conversation, edit)
  edit.set(slice.places, id, conversation)
  edit.set(thread.events, thread.events.length, event)
  edit.set(asRecord(thread), 'mix', added(thread.mix, id))
  edit.set(thread.authors, pubkey, (Object.hasOwn(thread.authors, pubkey) ? (thread.authors[pubkey] ?? 0) : 0) + 1)
  if (!Object.hasOwn(slice.spoke, pubkey)) edit.set(slice.spoke, pubkey, {})
  edit.set(slice.spoke[pubkey] ?? {}, conversation, true)
  stand(slice, thread, event, edit)
  const link = linkOf(event)
  if (link !== undefined) edit.set(slice.links, id, link)
}

/** An event behind which something stands already, since it came late, is no head. Of many heads the newest are kept. */
function stand(slice: ConversationSlice, thread: Thread, event: ChatEvent, edit: Edit): void {
  if (!Object.hasOwn(thread.missing, event.id)) {
    edit.set(thread.heads, event.id, event.created_at)
    const heads = Object.entries(thread.heads)
    if (heads.length > MOST_HEADS) edit.remove(thread.heads, heads.reduce((a, b) => (b[1] < a[1] ? b : a))[0])
  }
  edit.remove(thread.missing, event.id)
  for (const parent of parentsOf(event)) {
    edit.remove(thread.heads, parent)
    const isMissing = event.sig !== null && isKey(parent) && !Object.hasOwn(slice.places, parent)
    if (isMissing) edit.set(thread.missing, parent, true)
  }
}

function begin(slice: ConversationSlice, id: string, edit: Edit): Thread {
  const thread: Thread = { id, events: [], mix: 0, authors: {}, heads: {}, missing: {}, agents: {} }
  edit.set(slice.threads, id, thread)
  return thread
}

type Of = { readonly conversation: string; readonly agent: string }

/** C7 */
function note(slice: ConversationSlice, of: Of, edit: Edit, change: (notes: AgentNotes) => Partial<AgentNotes>): void {
  const { conversation, agent } = of
  const thread = threadOf(slice, conversation) ?? begin(slice, conversation, edit)
  const notes = notesOf(thread, agent)
  edit.set(thread.agents, agent, { ...notes, ...change(notes) })
}

function run(
  slice: ConversationSlice,
  of: Of,
  edit: Edit,
  { started, active }: { readonly started?: string; readonly active: string },
): void {
  note(slice, of, edit, ({ execution }) => ({
    execution: {
      started: started === undefined ? execution.started : Date.parse(started),
      active: Date.parse(active),
      total_ms: execution.total_ms,
    },
  }))
}

/** A cursor never goes back. */
function furthest(before: AgentNotes['cursor'], after: AgentNotes['cursor']): AgentNotes['cursor'] {
  const both = { ...before }
  for (const [id, seen] of Object.entries(after)) both[id] = Math.max(seen, before[id] ?? 0)
  return both
}

function asRecord(value: object): Record<string, unknown> {
  // Plain JSON; its interface only names the members.
  return value as Record<string, unknown>
}

const noNotes = (): AgentNotes => ({
  cursor: {},
  memory: {},
  files: {},
  execution: { started: null, active: null, total_ms: 0 },
})

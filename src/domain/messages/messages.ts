/*
 * Messages between agents: an inbox each, worked off under leases.
 *
 *   sent ──► ready ──receive──► leased ──ack──► gone
 *              ▲                  │ lease over, return      N-th time
 *              └──────────────────┴──────────────────────────────────► dead ──revive──► ready
 *   ready or leased ──ttl──► gone
 *
 * M1. An inbox belongs to one address, compared whole: `a` and `ab` share nothing.
 * M2. What was sent is in each of its inboxes, ready, leased or dead, until it is acknowledged, expired or dropped there.
 * M3. A message of an inbox is leased to at most one at a time; the token of the lease is the sequence number of the
 *     commit that delivered it, and who comes with another is refused.
 * M4. A lease that ends gives the message back to its old place; after `max_deliveries` it is dead instead.
 * M5. An inbox gives by priority, then by time. An emergency goes before all of that, and while one is open in an inbox
 *     that inbox gives nothing else.
 * M6. A ttl counts from sending; what it ends while leased is over when the lease is. It takes no dead letter away, but one
 *     that it has ended is not revived.
 * M7. An answer goes to who sent what it answers, and settles that in the same commit, out of turn. Whoever has taken it,
 *     or anybody while nobody has, answers it, once.
 */
import type { Event } from '../../kernel/log/commit.ts'
import type { Edit } from '../../kernel/state/edit.ts'
import { emptyHeap, keysUpTo, put, take } from '../../kernel/state/heap.ts'
import { defineModule, sliceReader, type Meta, type Tree } from '../../kernel/state/module.ts'
import type {
  Delivered,
  Delivery,
  Inbox,
  Message,
  MessageEvent,
  MessagesSlice,
  Of,
  Priority,
  Stored,
} from './events.ts'

const MESSAGES = 'communication.messages'

/** Sequence numbers stay below it. */
const STRIDE = 1e12
const RANKS: Readonly<Record<Priority, number>> = { critical: 1, high: 2, normal: 3, low: 4 }

/** Above every order of an emergency, below every other one. */
export const EMERGENCIES = STRIDE - 1

export const messagesModule = defineModule<MessagesSlice, MessageEvent>({
  slice: MESSAGES,
  initial: () => ({ messages: {}, inboxes: {}, deadlines: emptyHeap() }),
  evolve: {
    'message.sent': (slice, data, edit, meta) => send(slice, edit.own(data), edit, meta),
    'message.delivered': deliver,
    'message.renewed': (slice, { id, agent, token, until }, edit) => {
      const { delivery, inbox } = find(slice, id, agent)
      if (inbox === undefined || delivery?.lease?.token !== token) return
      edit.set(inbox.deliveries, id, { ...delivery, lease: { ...delivery.lease, until } })
      put(slice.deadlines, keyOf(id, agent), until, edit)
    },
    'message.acknowledged': leave,
    'message.returned': giveBack,
    'message.lease-ended': giveBack,
    'message.died': (slice, { id, agent, cause, note }, edit, { at }) => {
      const { delivery, inbox } = find(slice, id, agent)
      if (inbox === undefined || delivery === undefined) return
      const { order, attempts } = delivery
      close(slice, { id, agent }, inbox, edit)
      edit.set(inbox.dead, id, { order, attempts, cause, note, at })
    },
    'message.expired': leave,
    'message.revived': (slice, { id, agent }, edit) => {
      const { inbox } = find(slice, id, agent)
      const dead = inbox?.dead[id]
      if (inbox === undefined || dead === undefined) return
      edit.remove(inbox.dead, id)
      open(slice, { id, agent }, inbox, { edit, order: dead.order })
    },
    'message.dropped': (slice, { id, agent }, edit) => {
      const { inbox } = find(slice, id, agent)
      if (inbox === undefined || !Object.hasOwn(inbox.dead, id)) return
      edit.remove(inbox.dead, id)
      forget(slice, id, edit)
    },
  },
  expire,
  deadlines: `${MESSAGES}.deadlines`,
})

export const messagesOf = sliceReader<MessagesSlice>(MESSAGES)

/** M1 */
export const inboxOf = (slice: MessagesSlice | undefined, agent: string): Inbox | undefined =>
  slice !== undefined && Object.hasOwn(slice.inboxes, agent) ? slice.inboxes[agent] : undefined

export const messageOf = (slice: MessagesSlice | undefined, id: string): Stored | undefined =>
  slice !== undefined && Object.hasOwn(slice.messages, id) ? slice.messages[id] : undefined

export interface Found {
  readonly inbox: Inbox | undefined
  readonly delivery: Delivery | undefined
}

export function find(slice: MessagesSlice | undefined, id: string, agent: string): Found {
  const inbox = inboxOf(slice, agent)
  return {
    inbox,
    delivery: inbox !== undefined && Object.hasOwn(inbox.deliveries, id) ? inbox.deliveries[id] : undefined,
  }
}

/** What follows when a delivery has come to nothing: it is dead when it was the last that the message gets. */
export function afterFailure(of: Of, attempts: number, most: number): readonly MessageEvent[] {
  const { id, agent } = of
  return attempts < most ? [] : [{ type: 'message.died', data: { id, agent, cause: 'deliveries', note: null } }]
}

/** M4 and M6 */
function expire(root: Readonly<Tree>, now: number): readonly Event[] {
  const slice = messagesOf(root)
  if (slice === undefined) return []
  return keysUpTo(slice.deadlines, now).flatMap((key) => {
    const cut = key.indexOf(' ')
    return lapse(slice, { id: key.slice(0, cut), agent: key.slice(cut + 1) }, now)
  })
}

function lapse(slice: MessagesSlice, { id, agent }: Of, now: number): readonly MessageEvent[] {
  const { delivery } = find(slice, id, agent)
  const message = messageOf(slice, id)
  if (delivery === undefined || message === undefined) return []
  if (message.expires !== null && message.expires <= now && (delivery.lease?.until ?? 0) <= now)
    return [{ type: 'message.expired', data: { id, agent } }]
  if (delivery.lease === null) return []
  const { token } = delivery.lease
  return [
    { type: 'message.lease-ended', data: { id, agent, token } },
    ...afterFailure({ id, agent }, delivery.attempts, message.max_deliveries),
  ]
}

function send(slice: MessagesSlice, message: Message, edit: Edit, { at, seq }: Meta): void {
  const order = (message.channel === 'emergency' ? 0 : RANKS[message.priority] * STRIDE) + seq
  edit.set(slice.messages, message.id, { ...message, timestamp: at, refs: message.to.length })
  for (const agent of message.to) {
    if (inboxOf(slice, agent) === undefined)
      edit.set(slice.inboxes, agent, { deliveries: {}, ready: emptyHeap(), dead: {}, open: 0, emergencies: 0 })
    const inbox = inboxOf(slice, agent)
    if (inbox !== undefined) open(slice, { id: message.id, agent }, inbox, { edit, order })
  }
}

function deliver(slice: MessagesSlice, data: Delivered, edit: Edit): void {
  const { id, agent, token, until, by, attempt } = data
  const { inbox, delivery } = find(slice, id, agent)
  if (inbox === undefined || delivery === undefined) return
  take(inbox.ready, id, edit)
  edit.set(inbox.deliveries, id, { ...delivery, attempts: attempt, lease: { token, until, by } })
  put(slice.deadlines, keyOf(id, agent), until, edit)
}

/** M4 */
function giveBack(slice: MessagesSlice, { id, agent, token }: Of & { readonly token: number }, edit: Edit): void {
  const { inbox, delivery } = find(slice, id, agent)
  if (inbox === undefined || delivery?.lease?.token !== token) return
  edit.set(inbox.deliveries, id, { ...delivery, lease: null })
  put(inbox.ready, id, delivery.order, edit)
  schedule(slice, { id, agent }, edit)
}

function leave(slice: MessagesSlice, { id, agent }: Of, edit: Edit): void {
  const { inbox, delivery } = find(slice, id, agent)
  if (inbox === undefined || delivery === undefined) return
  close(slice, { id, agent }, inbox, edit)
  forget(slice, id, edit)
}

interface Opening {
  readonly order: number
  readonly edit: Edit
}

function open(slice: MessagesSlice, of: Of, inbox: Inbox, { order, edit }: Opening): void {
  edit.set(inbox.deliveries, of.id, { order, attempts: 0, lease: null })
  put(inbox.ready, of.id, order, edit)
  count(inbox, order, 1, edit)
  schedule(slice, of, edit)
}

function close(slice: MessagesSlice, { id, agent }: Of, inbox: Inbox, edit: Edit): void {
  const { order = 0 } = inbox.deliveries[id] ?? {}
  edit.remove(inbox.deliveries, id)
  take(inbox.ready, id, edit)
  take(slice.deadlines, keyOf(id, agent), edit)
  count(inbox, order, -1, edit)
}

function count(inbox: Inbox, order: number, by: number, edit: Edit): void {
  // Plain JSON; its interface only names the members.
  const counts = inbox as unknown as Record<string, unknown>
  edit.set(counts, 'open', inbox.open + by)
  if (order <= EMERGENCIES) edit.set(counts, 'emergencies', inbox.emergencies + by)
}

/** For a delivery that nobody has: it ends with the ttl. */
function schedule(slice: MessagesSlice, { id, agent }: Of, edit: Edit): void {
  const expires = messageOf(slice, id)?.expires ?? null
  if (expires === null) take(slice.deadlines, keyOf(id, agent), edit)
  else put(slice.deadlines, keyOf(id, agent), expires, edit)
}

function forget(slice: MessagesSlice, id: string, edit: Edit): void {
  const message = messageOf(slice, id)
  if (message === undefined) return
  if (message.refs <= 1) edit.remove(slice.messages, id)
  else edit.set(slice.messages, id, { ...message, refs: message.refs - 1 })
}

/** Ids of messages have no spaces. */
const keyOf = (id: string, agent: string): string => `${id} ${agent}`

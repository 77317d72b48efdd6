/*
 * Who may speak in a channel, for how long, and who follows.
 *
 *   absent ──join──► IDLE ──somebody starts──► QUEUED ──its turn──► ACTIVE ⇄ WAITING     a person interrupts or pauses
 *                     ▲                          ▲                    │
 *                     │ nobody else is there     └────────────────────┤ complete, timeout, interrupt: the next follows
 *                     └───────────────────────────────────────────────┘
 *   from everywhere ──gone──► OFFLINE ──back──► IDLE or QUEUED         ──leave──► absent
 *
 * T1. At most one agent of a channel is ACTIVE or WAITING: the one that has the turn, and only it speaks.
 * T2. A turn ends exactly once, in one event with one reason; its token is the sequence number of the commit that gave it.
 * T3. Nobody loses a place: the queue changes only when somebody joins, leaves or is moved; who is OFFLINE is passed over
 *     and stays; a turn that was taken from somebody out of order goes back to that one.
 * T4. The completion signal at the end of a message ends the turn, is cut off, and alone posts nothing (signal.ts).
 * T5. An agent never gives the turn to itself: who is alone becomes IDLE, and the next message of another starts it.
 * T6. Late: what an agent says after time took its turn is posted, marked, what the turn cost is counted, and neither
 *     advances anything.
 * T7. Over is `now > deadline`. The next operation says so, with the moment of the deadline; a read sees it, too. The
 *     reason is `timeout`, and `recovery` when that operation is `recover`.
 * T8. A message renews activity, never the deadline; while a channel is held its clock stands still.
 * T9. Too many turns without a person, one agent that repeats itself, and spent budgets stop the channel until a person
 *     lets it go on.
 */
import { timeText } from '../../kernel/log/time.ts'
import type { Edit } from '../../kernel/state/edit.ts'
import { keysUpTo, emptyHeap, leastOf, put, take } from '../../kernel/state/heap.ts'
import { defineModule, sliceReader, type Meta, type Tree } from '../../kernel/state/module.ts'
import { after, emptyChannel, FOLDS } from './channel.ts'
import {
  KEPT,
  type Channel,
  type ChannelEvent,
  type HistoryEntry,
  type Message,
  type Said,
  type TurnEvent,
  type TurnsSlice,
} from './events.ts'
import { historyOf, removalOf } from './history.ts'
import { beginningOf, postedOf } from './kept.ts'
import { eventsForLost, ghosts } from './recovery.ts'
import { dueAt, lapse, type Now } from './ring.ts'

type Handlers = {
  readonly [E in TurnEvent as E['type']]: (slice: TurnsSlice, data: E['data'], edit: Edit, meta: Meta) => void
}

const handlers = Object.fromEntries(
  Object.keys(FOLDS).map((type) => [
    type,
    (slice: TurnsSlice, data: ChannelEvent['data'], edit: Edit, meta: Meta) => {
      // The type is that of the data: both come from one event.
      change(slice, { type, data: edit.own(data) } as ChannelEvent, edit, meta)
    },
  ]),
  // One for each channel event; the three others are written out below.
) as Omit<Handlers, 'turn.channel-created' | 'turn.channel-removed' | 'turn.imported'>

export const turnsModule = defineModule<TurnsSlice, TurnEvent>({
  slice: 'turns',
  initial: () => ({ channels: {}, messages: {}, history: {}, entries: 0, present: {}, deadlines: emptyHeap() }),
  evolve: {
    ...handlers,
    'turn.channel-created': (slice, { channel, config }, edit) =>
      keep(slice, emptyChannel(channel, edit.own(config)), edit),
    'turn.channel-removed': (slice, { channel: id }, edit, { at }) => {
      for (const agent of channelIn(slice, id)?.queue ?? []) {
        go(slice, agent, id, edit)
        remember(slice, removalOf(id, agent, at), edit)
      }
      edit.remove(slice.channels, id)
      edit.remove(slice.messages, id)
      take(slice.deadlines, id, edit)
    },
    'turn.imported': (slice, { channels, history }, edit) => {
      for (const channel of channels) {
        keep(slice, edit.own(channel), edit)
        for (const { agent, state } of Object.values(channel.seats))
          if (state !== 'OFFLINE') come(slice, agent, channel.id, edit)
      }
      for (const entry of history) remember(slice, edit.own(entry), edit)
    },
  },
  expire: (root, now, seq, operation) => {
    const slice = turnsOf(root)
    // Recovery ends turns itself, for a reason of its own: sweep.ts.
    if (slice === undefined || operation === 'session.recover') return []
    const when = { now, seq, at: timeText(now) }
    // T7: costs nothing but a look while nothing is due.
    if (!((leastOf(slice.deadlines) ?? Infinity) < now)) return afterGhosts(root, slice, when)
    return keysUpTo(slice.deadlines, now - 1).flatMap((id) => {
      const channel = channelIn(slice, id)
      return channel === undefined ? [] : lapse(channel, when)
    })
  },
  due: (root) => {
    const slice = turnsOf(root)
    if (slice === undefined) return undefined
    return ghosts(root, slice).size > 0 ? 0 : leastOf(slice.deadlines)
  },
})

export const turnsOf = sliceReader<TurnsSlice>('turns')

export const channelIn = (slice: TurnsSlice | undefined, id: string): Channel | undefined =>
  slice !== undefined && Object.hasOwn(slice.channels, id) ? slice.channels[id] : undefined

/** Nobody is left with a turn who is not there any more. */
function afterGhosts(root: Readonly<Tree>, slice: TurnsSlice, when: Now): readonly ChannelEvent[] {
  return [...ghosts(root, slice)].flatMap(([id, lost]) => {
    const channel = channelIn(slice, id)
    return channel === undefined ? [] : eventsForLost(channel, lost, when)
  })
}

function change(slice: TurnsSlice, event: ChannelEvent, edit: Edit, { at, seq }: Meta): void {
  const channel = channelIn(slice, event.data.channel)
  if (channel === undefined) return
  keep(slice, after(channel, [event], { at, seq }), edit)
  if (event.type === 'turn.joined' || event.type === 'turn.came-back') come(slice, event.data.agent, channel.id, edit)
  if (event.type === 'turn.left' || event.type === 'turn.went-offline') go(slice, event.data.agent, channel.id, edit)
  if (event.type === 'turn.said') post(slice, channel, messageOf(channel, event.data, { at, seq }), edit)
  if (event.type === 'turn.posted') release(slice, channel, edit)
  const entry = historyOf(channel, event, at)
  if (entry !== undefined) remember(slice, entry, edit)
}

function keep(slice: TurnsSlice, channel: Channel, edit: Edit): void {
  edit.set(slice.channels, channel.id, channel)
  const due = dueAt(channel)
  if (due === undefined) take(slice.deadlines, channel.id, edit)
  else put(slice.deadlines, channel.id, due, edit)
}

function come(slice: TurnsSlice, agent: string, channel: string, edit: Edit): void {
  const rooms = Object.hasOwn(slice.present, agent) ? (slice.present[agent] ?? []) : []
  if (!rooms.includes(channel)) edit.set(slice.present, agent, [...rooms, channel])
}

function go(slice: TurnsSlice, agent: string, channel: string, edit: Edit): void {
  const rooms = Object.hasOwn(slice.present, agent) ? (slice.present[agent] ?? []) : []
  const rest = rooms.filter((each) => each !== channel)
  if (rest.length > 0) edit.set(slice.present, agent, rest)
  else edit.remove(slice.present, agent)
}

function messageOf({ said: n }: Channel, data: Said, { at, seq }: Pick<Meta, 'at' | 'seq'>): Message {
  const { author, agent, text, turn, late, posted } = data
  return { n, seq, at, author, agent, ...beginningOf(text), turn, late, posted }
}

function post(slice: TurnsSlice, { id }: Channel, message: Message, edit: Edit): void {
  if (!Object.hasOwn(slice.messages, id)) edit.set(slice.messages, id, {})
  const messages = slice.messages[id] ?? {}
  edit.set(messages, String(message.n), message)
  edit.remove(messages, String(message.n - KEPT))
}

function release(slice: TurnsSlice, channel: Channel, edit: Edit): void {
  const { id, pending } = channel
  const messages = (Object.hasOwn(slice.messages, id) ? slice.messages[id] : undefined) ?? {}
  for (const n of pending) {
    const message = messages[n]
    if (message !== undefined) edit.set(messages, String(n), { ...message, posted: true })
  }
  for (const message of postedOf(channel)) post(slice, channel, message, edit)
}

function remember(slice: TurnsSlice, entry: HistoryEntry, edit: Edit): void {
  edit.set(slice.history, String(slice.entries), entry)
  edit.remove(slice.history, String(slice.entries - KEPT))
  // The slice is plain JSON; its interface only names the members.
  edit.set(slice as unknown as Record<string, unknown>, 'entries', slice.entries + 1)
}

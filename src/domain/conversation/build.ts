/*
 * C4. The messages an agent is given: its own as assistant, people as user, everybody else as system with a name.
 *
 *   phase ─ history, in a window ─ [left out] ─ === MESSAGES WHILE YOU WERE AWAY === ─ unread ─ === … === ─ trigger
 *
 * Unread is what arrived behind the agent's cursor: a message that came late counts as unread although it stands further
 * up. The answer carries the cursor to store when the agent has been given the messages.
 */
import { notesOf, threadOf } from './conversation.ts'
import type { ConversationSlice, Cursor } from './events.ts'
import { compare, type Placed } from './order.ts'
import { isUser, nameOf } from './story.ts'
import { toolCallOf } from './tags.ts'
import type { Timeline } from './timeline.ts'
import type { Story } from './told.ts'
import { choose, tokensOf, type Chosen, type Window } from './window.ts'

export const AWAY = '=== MESSAGES WHILE YOU WERE AWAY ==='
const HERE = '=== END OF MESSAGES WHILE YOU WERE AWAY ==='

export type Role = 'user' | 'assistant' | 'system'

export interface BuiltMessage {
  readonly role: Role
  readonly content: string
  /** Who said it, on system messages. */
  readonly name?: string
  /** Id of the event; absent where the builder speaks. */
  readonly event?: string
  /** The tool call that it is part of. */
  readonly tool_call?: string
}

export interface Built {
  readonly conversation: string
  readonly agent: string
  readonly messages: readonly BuiltMessage[]
  readonly unread: number
  /** Left out for the budget. */
  readonly omitted: number
  /** An estimate; more than the budget only where phase, trigger, summary and a tool call of theirs are more. */
  readonly tokens: number
  /** What `seen` takes, when the agent has been given this. */
  readonly cursor: Cursor
}

export interface BuildOptions {
  readonly agent: string
  readonly trigger?: string | undefined
  readonly budget: number
  readonly window: Window
  readonly summary?: string | undefined
}

export function buildMessages(slice: ConversationSlice, timeline: Timeline, options: BuildOptions): Built {
  const { agent, window, summary } = options
  const { byId, story } = timeline
  const trigger = options.trigger === undefined ? undefined : byId.get(options.trigger)
  const cursor = cursorOf(slice, timeline, agent)
  const arrived = unreadOf(slice, timeline, { agent, cursor })
  const unread = arrived.filter((placed) => placed !== trigger && isSpoken(placed))
  const phase = phaseMessage(story, arrived)
  const given = { options, unread, asked: trigger === undefined ? [] : [trigger], phase }
  const { last, kept, omitted, head } = filled(timeline, given)
  const history = kept.map((placed) => message(story, placed, agent))
  const messages = [
    phase,
    ...history.slice(0, head),
    ...(omitted > 0 ? [gap(omitted, window, summary)] : []),
    ...history.slice(head),
    ...last,
  ]
  const tokens = tokensIn(messages)
  const end = endOf(slice, timeline)
  return { conversation: timeline.id, agent, messages, unread: unread.length, omitted, tokens, cursor: end }
}

/** How far each thread goes in it: one that shares its past goes to the last that is shared, and the rest was not given. */
export function endOf(slice: ConversationSlice, { threads, sources, byId }: Timeline): Cursor {
  const own = new Set(threads)
  return Object.fromEntries(
    sources.map((name) => {
      const events = threadOf(slice, name)?.events ?? []
      return [name, own.has(name) ? events.length : events.findLastIndex(({ id }) => byId.has(id)) + 1]
    }),
  )
}

/**
 * How far an agent has seen each thread, whether it read it here or before it was merged or forked. What was noted here of
 * one that shared its past says nothing any more when that was merged: it had more than was given.
 */
export function cursorOf(slice: ConversationSlice, { id, threads, sources }: Timeline, agent: string): Cursor {
  const here = notesOf(threadOf(slice, id), agent).cursor
  const own = new Set(threads)
  return Object.fromEntries(
    sources.map((name) => {
      const there = notesOf(threadOf(slice, name), agent).cursor[name] ?? 0
      return [name, own.has(name) ? there : Math.max(here[name] ?? 0, there)]
    }),
  )
}

interface Reader {
  readonly agent: string
  readonly cursor: Cursor
}

/** What others have said that the agent has not seen, in order. Costs what has arrived. */
export function unreadOf(slice: ConversationSlice, { byId }: Timeline, { agent, cursor }: Reader): readonly Placed[] {
  return Object.entries(cursor)
    .flatMap(([id, seen]) => threadOf(slice, id)?.events.slice(seen) ?? [])
    .flatMap(({ id, pubkey }) => (pubkey === agent ? [] : (byId.get(id) ?? [])))
    .toSorted(compare)
}

/** Titles, moves and the like without a text are no messages. */
export const isSpoken = ({ event }: Placed): boolean => event.content !== ''

interface Given {
  readonly options: BuildOptions
  readonly unread: readonly Placed[]
  /** The trigger, if there is one. */
  readonly asked: readonly Placed[]
  readonly phase: BuiltMessage
}

interface Filled extends Chosen {
  /** What stands behind the history. */
  readonly last: readonly BuiltMessage[]
}

/** The unread first, then the history; where that does not fit, with what stands in the place of the rest. */
function filled(timeline: Timeline, given: Given): Filled {
  const { window, summary } = given.options
  const all = fill(timeline, given, 0)
  return all.omitted === 0 ? all : fill(timeline, given, tokensIn([gap(timeline.list.length, window, summary)]))
}

function fill({ list, silent, story }: Timeline, { options, unread, asked, phase }: Given, reserved: number): Filled {
  const { agent, window } = options
  const answering = asked.map((placed) => message(story, placed, agent))
  const room = options.budget - reserved - tokensIn([phase, ...answering])
  const away = newestWithin(unread, room)
  const block = awayBlock(story, agent, { shown: away, left: unread.length - away.length })
  const apart = new Set([...unread, ...asked])
  const budget = Math.max(0, room - tokensIn(block))
  const chosen = choose(list, { budget, window, apart, shown: [...away, ...asked], silent })
  return { ...chosen, last: [...block, ...answering] }
}

/** With what stands around them, and says that some are left out. */
function newestWithin(unread: readonly Placed[], room: number): readonly Placed[] {
  const fit = (left: number) =>
    choose(unread, { budget: room - tokensIn(frame(left)), window: 'last', apart: new Set(), shown: [], silent: 0 })
  const all = fit(0)
  return all.omitted === 0 ? all.kept : fit(unread.length).kept
}

function message(story: Story, { event }: Placed, agent: string): BuiltMessage {
  const { id, pubkey, content } = event
  const call = toolCallOf(event)
  const more = { event: id, ...(call === undefined ? {} : { tool_call: call.slice(call.indexOf(' ') + 1) }) }
  if (pubkey === agent) return { role: 'assistant', content, ...more }
  const name = nameOf(story, pubkey)
  return isUser(story, pubkey) ? { role: 'user', content, name, ...more } : { role: 'system', content, name, ...more }
}

/** With what was said on the last move, while the agent has not seen that. */
function phaseMessage({ phase, transitions }: Story, unread: readonly Placed[]): BuiltMessage {
  const last = transitions.at(-1)
  const isNew = last !== undefined && unread.some(({ event }) => event.id === last.event)
  const words = [`Phase: ${phase}.`]
  if (isNew) {
    words.push(last.kind === 'handoff' ? 'Handed off.' : `Before: ${last.from}.`)
    if (last.reason !== '') words.push(`Reason: ${last.reason}`)
  }
  return { role: 'system', content: words.join(' ') }
}

interface Away {
  readonly shown: readonly Placed[]
  readonly left: number
}

function awayBlock(story: Story, agent: string, { shown, left }: Away): readonly BuiltMessage[] {
  if (shown.length + left === 0) return []
  const around = frame(left)
  return [...around.slice(0, -1), ...shown.map((placed) => message(story, placed, agent)), ...around.slice(-1)]
}

/** What stands before the unread, and behind them. */
const frame = (left: number): readonly BuiltMessage[] => [
  { role: 'system', content: AWAY },
  ...(left === 0
    ? []
    : [{ role: 'system', content: `${left} more unread messages are left out: they do not fit.` } as const]),
  { role: 'system', content: HERE },
]

function gap(omitted: number, window: Window, summary: string | undefined): BuiltMessage {
  const count = omitted === 1 ? '1 message is left out here.' : `${omitted} messages are left out here.`
  return {
    role: 'system',
    content: window === 'summary' && summary !== undefined ? `${count} Summary: ${summary}` : count,
  }
}

const tokensIn = (messages: readonly BuiltMessage[]): number =>
  messages.reduce((sum, { content }) => sum + tokensOf(content), 0)

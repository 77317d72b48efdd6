/*
 * What the tags of an event say. Both generations are read: kind 1 with `e` tags (NIP-10), kinds 11 and 1111 with `E` and
 * `e` (NIP-22); `d` names the conversation outright.
 */
import type { ChatEvent, Link } from './events.ts'

type Tags = Pick<ChatEvent, 'tags'>

const KEY = /^[0-9a-f]{64}$/
const DECIDING: ReadonlySet<string> = new Set(['title', 'phase-from', 'route', 'complete', 'member', 'archive'])

export const isKey = (text: string): boolean => KEY.test(text)

/** The first value of the first tag of that name. */
export const tagOf = ({ tags }: Tags, name: string): string | undefined => tags.find(([first]) => first === name)?.[1]

export const tagsOf = ({ tags }: Tags, name: string): readonly (readonly string[])[] =>
  tags.filter(([first]) => first === name)

/** A function of the event alone, so that no order of arrival can move it to another conversation. */
export function conversationOf(event: ChatEvent): string {
  return tagOf(event, 'd') ?? tagOf(event, 'E') ?? rootOf(event) ?? event.id
}

function rootOf(event: Tags): string | undefined {
  const references = tagsOf(event, 'e').filter(([, , , marker]) => marker !== 'mention')
  return (references.find(([, , , marker]) => marker === 'root') ?? references[0])?.[1]
}

/** The message it answers; undefined for one that starts something new. */
function replyTo(event: Tags): string | undefined {
  const references = tagsOf(event, 'e').filter(([, , , marker]) => marker !== 'mention')
  const marked = references.find(([, , , marker]) => marker === 'reply')
  return (marked ?? references.findLast(([, , , marker]) => marker !== 'root') ?? references.at(-1))?.[1]
}

/** Events that stand before this one in every view: what it answers, its root, and what its author had seen. */
export function parentsOf(event: Tags): readonly string[] {
  const parents: string[] = []
  for (const [name, value, , marker] of event.tags) {
    if ((name === 'e' || name === 'E' || name === 'prev') && value !== undefined && marker !== 'mention')
      parents.push(value)
  }
  return parents
}

/** Whether it says more than its text: titles, moves, routes, completions, members, archive. */
export const isDeciding = ({ tags }: Tags): boolean => tags.some(([name = '']) => DECIDING.has(name))

/** Names the tool call that it is, or is the result of; undefined for messages. */
export function toolCallOf(event: ChatEvent): string | undefined {
  const id = event.tags.find(([name]) => name === 'tool')?.[2] ?? tagOf(event, 'tool-result')
  return id === undefined || id === '' ? undefined : `${event.pubkey} ${id}`
}

export function linkOf(event: ChatEvent): Link | undefined {
  const { id, pubkey: author, created_at } = event
  const from = conversationOf(event)
  for (const [name, to = '', at = ''] of event.tags) {
    if ((name === 'merge' || name === 'fork') && to !== '' && to !== from)
      return { kind: name, id, author, created_at, from, to, event: at }
  }
  return undefined
}

/** What the tags of one message say, for people and programs. */
export interface Metadata {
  readonly conversation: string
  readonly phase: string | null
  readonly reply_to: string | null
  readonly mentions: readonly string[]
  readonly tool: string | null
  readonly completion: string | null
  readonly voice: boolean
}

export function metadataOf(event: ChatEvent): Metadata {
  const complete = tagsOf(event, 'complete')[0]
  return {
    conversation: conversationOf(event),
    phase: tagOf(event, 'phase') ?? null,
    reply_to: replyTo(event) ?? null,
    mentions: [...new Set(tagsOf(event, 'p').map(([, key = '']) => key))],
    tool: tagOf(event, 'tool') ?? null,
    completion: complete === undefined ? null : event.content,
    voice: tagsOf(event, 'voice').length > 0,
  }
}

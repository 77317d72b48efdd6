/* What the messages of a conversation do beside saying something, in words: one may have no text of its own. */
import type { ChatEvent } from './events.ts'
import { isKey } from './tags.ts'
import type { Story, Transition } from './told.ts'
import { completing } from './turns.ts'

/** Null for one that only says something. */
export function deedsOf({ transitions, turns, violations }: Story): (event: ChatEvent) => string | null {
  const decided = new Map<string, string>([
    ...violations.map(({ event, why }) => [event, `decides nothing: ${why}`] as const),
    ...transitions.map((move) => [move.event, moved(move)] as const),
    ...turns.map(({ id, agents }) => [id, `turn of ${agents.map(short).join(', ')}`] as const),
  ])
  return (event) => decided.get(event.id) ?? tagged(event)
}

function moved({ from, to, violation, reason }: Transition): string {
  return `${from} → ${to}${violation ? ', which the table forbids' : ''}${reason === '' ? '' : `: ${reason}`}`
}

/** A title beside a text is that of what begins. */
function tagged(event: ChatEvent): string | null {
  for (const [tag = '', ...words] of event.tags) {
    const told = tag === 'complete' ? `${short(completing(event))} is done` : say(tag, words)
    if (told !== undefined && (tag !== 'title' || event.content === '')) return told
  }
  return null
}

function say(tag: string, [word = '', second = '', third = '']: readonly string[]): string | undefined {
  if (tag === 'tool') return `calls ${word}`
  if (tag === 'tool-result') return `result of ${word}`
  if (tag === 'title') return `calls it "${word}"`
  if (tag === 'member') return `counts ${short(word)} as ${second}${third === '' ? '' : `, called "${third}"`}`
  if (tag === 'archive') return word === 'false' ? 'takes it out again' : 'puts it away'
  if (tag === 'merge') return `makes it one with ${short(word)}`
  return undefined
}

const short = (author: string): string => (isKey(author) ? author.slice(0, 12) : author)

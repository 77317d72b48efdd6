/*
 * What the deciding events of a conversation come to, told in their order. A function of that order alone: no clock.
 *
 * Who has a say: whoever began the conversation, actors of this store's own (plain events), and members that one of
 * those has declared. What others write is shown, but decides nothing.
 */
import type { ChatEvent, Phase } from './events.ts'
import type { Placed } from './order.ts'
import { isPhase, moveKind } from './phases.ts'
import { isKey, tagOf, tagsOf } from './tags.ts'
import type { Story } from './told.ts'
import { complete, route } from './turns.ts'

const UNTITLED = 'Untitled Conversation'

export interface Rules {
  readonly advisory: boolean
  /** Whose conversation it is, where its id proves it. */
  readonly owner: string | undefined
}

export const emptyStory = (): Story => ({
  opener: '',
  title: UNTITLED,
  phase: 'chat',
  phase_started_at: 0,
  archived: false,
  members: new Map(),
  transitions: [],
  violations: [],
  turns: [],
  strays: [],
})

/** Goes on with the next event in order. */
export function tell(story: Story, { event, time, isDeciding }: Placed, rules: Rules): void {
  if (story.opener === '') begin(story, event, rules)
  if (!isDeciding) return
  if (!hasSay(story, event.pubkey)) {
    story.violations.push({ event: event.id, why: 'its author is no member' })
    return
  }
  for (const tag of tagsOf(event, 'member')) declare(story, event, tag)
  const title = tagOf(event, 'title')
  if (title !== undefined && title.trim() !== '') story.title = title
  const archive = tagOf(event, 'archive')
  if (archive !== undefined) story.archived = archive !== 'false'
  if (tagOf(event, 'phase-from') !== undefined) move(story, event, time, rules)
  if (tagsOf(event, 'route').length > 0) route(story, event, time)
  if (tagsOf(event, 'complete').length > 0) complete(story, event, time)
}

export const hasSay = (story: Story, author: string): boolean =>
  author === story.opener || !isKey(author) || story.members.has(author)

/** People are who was declared to be one, local people, and who began it. Nobody becomes one by saying so. */
export function isUser(story: Story, author: string): boolean {
  const member = story.members.get(author)
  if (member !== undefined) return member.role === 'user'
  return author.startsWith('human:') || (isKey(author) && author === story.opener)
}

export function nameOf(story: Story, author: string): string {
  const name = story.members.get(author)?.name
  if (name !== undefined && name !== '') return name
  return isKey(author) ? author.slice(0, 12) : author.slice(author.indexOf(':') + 1)
}

/** An author by key, actor, declared name, or the name of a local agent. */
export function authorOf(story: Story, word: string): string {
  if (isKey(word) || word.includes(':')) return word
  const named = [...story.members.values()].find(({ name }) => name === word)
  return named?.author ?? `agent:${word}`
}

function begin(story: Story, event: ChatEvent, { owner }: Rules): void {
  story.opener = owner ?? event.pubkey
  story.phase_started_at = event.created_at
}

/** Only people say who is who. */
function declare(story: Story, event: ChatEvent, [, author = '', role = '', name = '']: readonly string[]): void {
  const known = role === 'user' || role === 'agent' ? role : undefined
  if (known === undefined || author === '' || !isUser(story, event.pubkey))
    story.violations.push({ event: event.id, why: `cannot declare "${author}" as "${role}"` })
  else story.members.set(author, { author, role: known, name })
}

function move(story: Story, event: ChatEvent, at: number, { advisory }: Rules): void {
  const to = tagOf(event, 'phase')
  if (!isPhase(to)) {
    story.violations.push({ event: event.id, why: `there is no phase "${to ?? ''}"` })
    return
  }
  const from = story.phase
  const kind = moveKind(from, to, tagsOf(event, 'rollback').length > 0 ? phasesBefore(story) : undefined)
  if (kind === undefined) story.violations.push({ event: event.id, why: `${from} does not go to ${to}` })
  if (kind === undefined && !advisory) return
  const [reason, author] = [tagOf(event, 'reason') ?? '', event.pubkey]
  const message = event.content
  const violation = kind === undefined
  story.transitions.push({
    event: event.id,
    from,
    to,
    kind: kind ?? 'transition',
    violation,
    at,
    author,
    reason,
    message,
  })
  if (from !== to) story.phase_started_at = at
  story.phase = to
}

export const phasesBefore = ({ transitions }: Story): readonly Phase[] => [
  'chat',
  ...transitions.flatMap(({ from, to }) => [from, to]),
]

/** When the files that were read stopped counting: the last move from reflection to chat, in seconds since 1970. */
export const clearedAt = ({ transitions }: Story): number =>
  transitions.findLast(({ from, to }) => from === 'reflection' && to === 'chat')?.at ?? 0

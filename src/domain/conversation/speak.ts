/*
 * What is said here, as templates of events: who says it, and what makes a whole event of it, comes later.
 * Each answers a refusal where the views do not allow it.
 */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { conversationsOf, DEFAULT_CONFIG, MOST_HEADS, threadOf } from './conversation.ts'
import type { Config, ConversationSlice, ConversationTemplate, Member, Phase, Template } from './events.ts'
import { hasSay } from './story.ts'
import { isKey } from './tags.ts'
import { Reader, timelineOf, type Timeline } from './timeline.ts'

type State = Readonly<Tree>
type Tag = readonly string[]
export type Draft = Template | Refusal

/** Who speaks, and when, in seconds since 1970. */
export interface By {
  readonly author: string
  readonly at: number
}

export interface Opening {
  readonly title?: string | undefined
  readonly id?: string | undefined
  readonly text?: string | undefined
  readonly template?: string | undefined
}

export interface Post {
  readonly conversation: string
  readonly text: string
  readonly reply?: string | undefined
  readonly mentions: readonly string[]
  readonly tool?: string | undefined
  readonly call?: string | undefined
  readonly result?: string | undefined
  readonly voice: boolean
}

export interface Fork {
  readonly conversation: string
  readonly at?: string | undefined
  readonly title?: string | undefined
  readonly id?: string | undefined
}

export const isRefusal = (draft: object): draft is Refusal => 'code' in draft

export function draftOpen(state: State, { title, id, text, template }: Opening, by: By): Draft {
  const slice = conversationsOf(state)
  const known = template === undefined ? NO_TEMPLATE : templateOf(slice, template)
  if (known === undefined) return noTemplate(slice, template ?? '')
  if (id !== undefined && threadOf(slice, id) !== undefined) return taken(id)
  const name = title ?? known.title
  return {
    created_at: by.at,
    kind: (slice?.config ?? DEFAULT_CONFIG).root_kind,
    tags: [
      ...(id === undefined ? [] : [['d', id]]),
      ...titleTag(name),
      ...(known.phase === 'chat' ? [] : firstMove(known.phase)),
      ...known.members.map(memberTag),
    ],
    content: text ?? (known.text === '' ? name : known.text),
  }
}

const NO_TEMPLATE: ConversationTemplate = { title: '', phase: 'chat', text: '', members: [] }

const firstMove = (to: Phase): readonly Tag[] => [
  ['phase', to],
  ['phase-from', 'chat'],
]

export function draftPost(state: State, post: Post, by: By): Draft {
  const place = placeOf(state, post.conversation)
  if (isRefusal(place)) return place
  if (place.timeline.story.archived) return archived(place.timeline.id)
  if (post.text.trim() === '' && post.tool === undefined && post.result === undefined)
    return refuse('INPUT_INVALID', 'nothing is said: the text is empty', {
      hint: 'give it a text, or the tool that is called, or the call that it is the result of',
    })
  if (post.reply !== undefined && !place.timeline.byId.has(post.reply))
    return refuse('NOT_FOUND', `no message "${post.reply}" in conversation ${place.timeline.id}`, {
      hint: `steadfold chat show ${place.timeline.id}`,
    })
  return {
    created_at: by.at,
    kind: place.config.post_kind,
    tags: [
      ...place.tags,
      ...commentTags(place, by, post.reply),
      ...(post.reply === undefined ? [] : [['e', post.reply, '', 'reply']]),
      ...post.mentions.map((author) => ['p', author]),
      ...(post.tool === undefined ? [] : [['tool', post.tool, ...(post.call === undefined ? [] : [post.call])]]),
      ...(post.result === undefined ? [] : [['tool-result', post.result]]),
      ...(post.voice ? [['voice', 'true']] : []),
    ],
    content: post.text,
  }
}

/** The same past up to an event, and a future of its own. */
export function draftFork(state: State, { conversation, at, title, id }: Fork, by: By): Draft {
  const place = placeOf(state, conversation)
  if (isRefusal(place)) return place
  const { list, byId, story } = place.timeline
  const event = at ?? list.at(-1)?.event.id ?? ''
  if (!byId.has(event))
    return refuse('NOT_FOUND', `no message "${event}" in conversation ${place.timeline.id}`, {
      hint: `steadfold chat show ${place.timeline.id}`,
    })
  if (id !== undefined && threadOf(conversationsOf(state), id) !== undefined) return taken(id)
  return {
    created_at: by.at,
    kind: place.config.root_kind,
    tags: [
      ...(id === undefined ? [] : [['d', id]]),
      ['fork', place.timeline.id, event],
      ['prev', event],
      ...titleTag(title ?? `${story.title} (fork)`),
    ],
    content: `Forked from ${place.timeline.id}`,
  }
}

export interface Place {
  readonly slice: ConversationSlice
  readonly timeline: Timeline
  readonly config: Config
  /** What every event in it carries: the conversation, and what its author had seen. */
  readonly tags: readonly Tag[]
}

/** A conversation by its id, the only beginning of one, or its title; by the one it was merged into. */
export function placeOf(state: State, word: string): Place | Refusal {
  const slice = conversationsOf(state)
  const ids = slice === undefined ? [] : namesOf(slice, word)
  const [id] = ids
  if (slice === undefined || id === undefined)
    return refuse('NOT_FOUND', `no conversation "${word}"`, {
      hint: 'steadfold chat list shows them; steadfold chat open TITLE begins one',
    })
  if (ids.length > 1)
    return refuse('INPUT_INVALID', `"${word}" may be any of ${ids.length} conversations`, {
      hint: `one of ${ids.slice(0, 5).join(', ')}`,
    })
  const timeline = timelineOf(slice, id)
  if (timeline === undefined) return refuse('NOT_FOUND', `nothing was said in conversation "${word}"`)
  return { slice, timeline, config: slice.config, tags: tagsFor(slice, timeline) }
}

/** Refuses who has no say; what they write would decide nothing. */
export function placeToDecide(state: State, word: string, by: By): Place | Refusal {
  const place = placeOf(state, word)
  if (isRefusal(place) || hasSay(place.timeline.story, by.author)) return place
  return refuse('NEEDS_PERSON', `${by.author} is no member of conversation ${place.timeline.id}`, {
    hint: `a person who takes part runs: steadfold chat member ${place.timeline.id} ${quoted(by.author)} agent`,
  })
}

/** Of a merged conversation it names the ends of each that it is made of, or what is said next could stand before them. */
function tagsFor(slice: ConversationSlice, { id, threads, isFollowed }: Timeline): readonly Tag[] {
  const ends = threads.flatMap((thread) => Object.entries(threadOf(slice, thread)?.heads ?? {}))
  const latest = ends.filter(([end]) => !isFollowed(end)).toSorted((a, b) => b[1] - a[1])
  const seen = latest.slice(0, MOST_HEADS).map(([end]) => ['prev', end])
  if (!isKey(id)) return [['d', id], ...seen]
  // Some relays look for lower-case tags only.
  return [['E', id], ['e', id, '', 'root'], ...seen]
}

const COMMENT = 1111

/** What a signed comment says besides of its root, and of what it answers, for other programs (NIP-22). */
export function commentTags({ config, timeline: { id, byId } }: Place, { author }: By, reply = id): readonly Tag[] {
  const [root, parent] = [byId.get(id)?.event, byId.get(reply)?.event]
  if (config.post_kind !== COMMENT || !isKey(author) || !isKey(id) || root === undefined || parent === undefined)
    return []
  return [
    ['K', String(root.kind)],
    ['P', root.pubkey],
    ['k', String(parent.kind)],
    ['p', parent.pubkey],
  ]
}

const titleTag = (title: string | undefined): readonly Tag[] =>
  title === undefined || title === '' ? [] : [['title', title]]

export const memberTag = ({ author, role, name }: Member): Tag => ['member', author, role, name]

function namesOf(slice: ConversationSlice, word: string): readonly string[] {
  if (threadOf(slice, word) !== undefined) return [word]
  const ids = Object.keys(slice.threads)
  const begun = ids.filter((id) => word.length >= 4 && id.startsWith(word))
  if (begun.length > 0) return begun
  // Titles are read from what was said: only where nothing else fits.
  const reader = new Reader(slice, 0)
  const title = word.trim().toLowerCase()
  const isMeant = (id: string) => reader.redirect(id) === id && reader.timeline(id)?.story.title.toLowerCase() === title
  return title === '' ? [] : ids.filter(isMeant)
}

const templateOf = (slice: ConversationSlice | undefined, name: string) =>
  slice !== undefined && Object.hasOwn(slice.templates, name) ? slice.templates[name] : undefined

function noTemplate(slice: ConversationSlice | undefined, name: string): Refusal {
  const names = Object.keys(slice?.templates ?? {})
  return refuse('NOT_FOUND', `no template "${name}"`, {
    hint: names.length === 0 ? 'steadfold chat template NAME makes one' : `one of ${names.join(', ')}`,
  })
}

const taken = (id: string): Refusal =>
  refuse('NAME_TAKEN', `there is a conversation "${id}"`, { hint: `steadfold chat post ${id} TEXT` })

const archived = (id: string): Refusal =>
  refuse('LIFECYCLE_INVALID', `conversation ${id} is archived`, { hint: `steadfold chat archive ${id} --undo` })

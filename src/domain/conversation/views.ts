import { EngineError } from '../../kernel/error.ts'
import { canonicalJson } from '../../kernel/json/json.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { buildMessages, cursorOf, isSpoken, unreadOf, type Built } from './build.ts'
import { conversationsOf, notesOf, threadOf } from './conversation.ts'
import { deedsOf } from './deeds.ts'
import type { ChatEvent, ConversationSlice, Phase, Quarantined } from './events.ts'
import { routingContext } from './narrative.ts'
import { isStale } from './notes.ts'
import { isRefusal, placeOf, type Place } from './speak.ts'
import { authorOf, clearedAt, nameOf } from './story.ts'
import { metadataOf } from './tags.ts'
import { Reader, type Timeline } from './timeline.ts'
import type { Story, Turn } from './told.ts'
import { missingOf, statusOf } from './turns.ts'
import type { Window } from './window.ts'

type State = Readonly<Tree>
const SECOND = 1000

export interface ListWanted {
  readonly phase?: Phase | undefined
  readonly agent?: string | undefined
  /** Also those that were put away or merged. */
  readonly all: boolean
}

/** One row a conversation, the one that was spoken in last first; merged ones say where they went. */
export function conversationRows(state: State, { phase, agent, all }: ListWanted, now: number) {
  const slice = conversationsOf(state)
  if (slice === undefined) return []
  const reader = new Reader(slice, now)
  return idsBy(slice, agent)
    .filter((id) => all || reader.redirect(id) === id)
    .flatMap((id) => rowOf(reader, id))
    .filter((row) => phase === undefined || row.phase === phase)
    .filter((row) => all || !row.archived)
    .toSorted((a, b) => (a.updated_at === b.updated_at ? (a.id < b.id ? -1 : 1) : a.updated_at < b.updated_at ? 1 : -1))
}

/** Costs what the agent takes part in, not what there is. */
function idsBy(slice: ConversationSlice, agent: string | undefined): readonly string[] {
  if (agent === undefined) return Object.keys(slice.threads)
  const author = agent.includes(':') || agent.length === 64 ? agent : `agent:${agent}`
  return Object.keys((Object.hasOwn(slice.spoke, author) ? slice.spoke[author] : undefined) ?? {})
}

function rowOf(reader: Reader, id: string) {
  const timeline = reader.timeline(id)
  if (timeline === undefined) return []
  const { story, list, size } = timeline
  const merged_into = reader.redirect(id)
  return [
    {
      id,
      title: story.title,
      phase: story.phase,
      messages: size,
      updated_at: isoTime(list.at(-1)?.time ?? 0),
      archived: story.archived,
      merged_into: merged_into === id ? null : merged_into,
    },
  ]
}

export interface ShowWanted {
  readonly conversation: string
  readonly last: number
}

export function conversationView(state: State, { conversation, last }: ShowWanted, now: number) {
  const { slice, timeline } = found(state, conversation)
  const { story, list, id, threads } = timeline
  const deedOf = deedsOf(story)
  return {
    id,
    threads,
    title: story.title,
    phase: story.phase,
    phase_started_at: isoTime(story.phase_started_at),
    archived: story.archived,
    opener: story.opener,
    members: [...story.members.values()],
    transitions: story.transitions.map(({ at, ...each }) => ({ ...each, at: isoTime(at) })),
    violations: story.violations,
    turns: turnRows(story, now),
    strays: story.strays,
    agents: agentRows(slice, timeline, now),
    messages: list.length,
    shown: truncated(list, last).map(({ event, time }) => ({
      id: event.id,
      author: nameOf(story, event.pubkey),
      pubkey: event.pubkey,
      at: isoTime(time),
      content: event.content,
      signed: event.sig !== null,
      ...metadataOf(event),
      does: deedOf(event),
    })),
  }
}

/** The first and the last ones. The conversation itself is never cut. */
export function truncated<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list
  const first = Math.floor(most / 2)
  return [...list.slice(0, first), ...list.slice(list.length - (most - first))]
}

export const turnRowsOf = (state: State, conversation: string, now: number) =>
  turnRows(found(state, conversation).timeline.story, now)

const turnRows = (story: Story, now: number) => story.turns.map((turn) => turnRow(turn, now / SECOND))

function turnRow(turn: Turn, now: number) {
  const { deadline, at, isCompleted: _known, ...rest } = turn
  return {
    ...rest,
    at: isoTime(at),
    deadline: deadline === null ? null : isoTime(deadline),
    status: statusOf(turn, now),
    missing: missingOf(turn),
  }
}

/** What this store knows of those who take part here. */
function agentRows(slice: ConversationSlice, timeline: Timeline, now: number) {
  const thread = threadOf(slice, timeline.id)
  const cleared = clearedAt(timeline.story) * SECOND
  return Object.keys(thread?.agents ?? {}).map((agent) => {
    const notes = notesOf(thread, agent)
    const { started, total_ms } = notes.execution
    const files = Object.entries(notes.files).filter(([, at]) => at > cleared)
    return {
      agent,
      unread: unreadOf(slice, timeline, { agent, cursor: cursorOf(slice, timeline, agent) }).filter(isSpoken).length,
      memory: notes.memory,
      read_files: files.map(([path]) => path).toSorted(),
      execution: {
        status: started === null ? 'stopped' : isStale(notes, now) ? 'stale' : 'running',
        total_ms,
      },
    }
  })
}

export interface ReadWanted {
  readonly conversation: string
  readonly agent: string
  readonly trigger?: string | undefined
  readonly budget: number
  readonly window: Window
  readonly summary?: string | undefined
}

export function builtFor(state: State, { conversation, agent, ...options }: ReadWanted): Built {
  const { slice, timeline } = found(state, conversation)
  return buildMessages(slice, timeline, { ...options, agent: authorOf(timeline.story, agent) })
}

export function unreadRows(state: State, { conversation, agent }: Pick<ReadWanted, 'conversation' | 'agent'>) {
  const { slice, timeline } = found(state, conversation)
  const author = authorOf(timeline.story, agent)
  const cursor = cursorOf(slice, timeline, author)
  const unread = unreadOf(slice, timeline, { agent: author, cursor }).filter(isSpoken)
  return unread.map(({ event, time }) => ({
    id: event.id,
    author: nameOf(timeline.story, event.pubkey),
    at: isoTime(time),
    content: event.content,
  }))
}

export function narrativeView(state: State, conversation: string, now: number) {
  return routingContext(found(state, conversation).timeline, now / SECOND)
}

/** C2: what the hash of a conversation is of. Nothing in it comes from this store: no sequence number, cursor or clock. */
function contentOf({ id, threads, list, story }: Timeline) {
  const { opener, title, phase, phase_started_at, archived, transitions, violations, turns, strays } = story
  const members = [...story.members.values()].toSorted((a, b) => (a.author < b.author ? -1 : 1))
  const decided = { opener, title, phase, phase_started_at, archived, members, transitions, violations, turns, strays }
  return { v: 1, id, threads, events: list.map(({ event }) => event.id), ...decided }
}

export function hashView(state: State, conversation: string, sha256: (text: string) => string) {
  const { timeline } = found(state, conversation)
  return { id: timeline.id, events: timeline.size, hash: sha256(canonicalJson(contentOf(timeline))) }
}

export interface ExportWanted {
  readonly conversation: string
  readonly signed: boolean
}

/** In order, as they came: what `ingest` takes anywhere. */
export function exported(state: State, { conversation, signed }: ExportWanted): readonly ChatEvent[] {
  const { list } = found(state, conversation).timeline
  return list.map(({ event }) => event).filter(({ sig }) => !signed || sig !== null)
}

export function quarantineRows(state: State) {
  const slice = conversationsOf(state)
  const held = Object.values(slice?.held ?? {}).map(({ event, conversation }) => ({
    id: event.id,
    reason: 'too early',
    origin: conversation,
    excerpt: isoTime(event.created_at),
  }))
  // The same event, let in by somebody who believed it, or signed.
  const isIn = ({ id, reason }: Quarantined) => reason === 'unsigned' && Object.hasOwn(slice?.places ?? {}, id)
  return [...Object.values(slice?.quarantine ?? {}).filter((each) => !isIn(each)), ...held]
}

/** A read throws where a write refuses; the codes are the same. */
function found(state: State, conversation: string): Place {
  const place = placeOf(state, conversation)
  if (!isRefusal(place)) return place
  const { code, message, hint } = place
  throw new EngineError(code, message, hint === undefined ? {} : { hint })
}

const MOST_SECONDS = 8.64e12

const isoTime = (seconds: number): string => new Date(Math.min(seconds, MOST_SECONDS) * SECOND).toISOString()

/* Deciding events: moves between phases, turns, titles, members, archive, merge. */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { conversationsOf } from './conversation.ts'
import type { Member, Phase } from './events.ts'
import { MOVES, moveKind } from './phases.ts'
import { commentTags, isRefusal, memberTag, placeToDecide, type By, type Draft, type Place } from './speak.ts'
import { authorOf, isUser, phasesBefore } from './story.ts'
import { isKey } from './tags.ts'
import { redirected } from './timeline.ts'
import type { PartialPolicy } from './told.ts'

type State = Readonly<Tree>

export interface Move {
  readonly conversation: string
  readonly to: Phase
  readonly why?: string | undefined
  readonly text: string
  readonly rollback: boolean
}

export interface Routing {
  readonly conversation: string
  readonly agents: readonly string[]
  readonly why?: string | undefined
  readonly phase?: Phase | undefined
  readonly timeout_s?: number | undefined
  readonly partial: PartialPolicy
}

export interface Completing {
  readonly conversation: string
  readonly text: string
  readonly agent?: string | undefined
}

export function draftMove(state: State, { conversation, to, why, text, rollback }: Move, by: By): Draft {
  const place = placeToDecide(state, conversation, by)
  if (isRefusal(place)) return place
  const { story, id } = place.timeline
  const from = story.phase
  const back = rollback ? phasesBefore(story) : undefined
  if (moveKind(from, to, back) === undefined && (rollback || !place.config.advisory))
    return refuse(
      'TRANSITION_INVALID',
      `conversation ${id} cannot go ${rollback ? 'back ' : ''}from ${from} to ${to}`,
      {
        hint: rollback
          ? `it has been in: ${[...new Set(back)].filter((phase) => phase !== from).join(', ') || 'no other phase'}`
          : `allowed from ${from}: ${MOVES[from].join(', ')}; going back is --rollback`,
        details: { from, to, allowed: MOVES[from] },
      },
    )
  const moved = [['phase', to], ['phase-from', from], ...(rollback ? [['rollback', 'true']] : [])]
  const tags = [...place.tags, ...commentTags(place, by), ...moved]
  return { created_at: by.at, kind: place.config.post_kind, tags: [...tags, ...reasonTag(why)], content: text }
}

export function draftRoute(state: State, routing: Routing, by: By): Draft {
  const place = placeToDecide(state, routing.conversation, by)
  if (isRefusal(place)) return place
  const { story } = place.timeline
  const agents = routing.agents.map((name) => authorOf(story, name))
  const { phase, timeout_s, partial, why } = routing
  const tags = [
    ...place.tags,
    ...commentTags(place, by),
    ['route', ...agents],
    ...(phase === undefined ? [] : [['phase', phase]]),
    ...(timeout_s === undefined ? [] : [['timeout', String(timeout_s)]]),
    ['partial', partial],
    ...reasonTag(why),
  ]
  return { created_at: by.at, kind: place.config.post_kind, tags, content: why ?? '' }
}

export function draftComplete(state: State, { conversation, text, agent }: Completing, by: By): Draft {
  const place = placeToDecide(state, conversation, by)
  if (isRefusal(place)) return place
  const who = agent === undefined ? by.author : authorOf(place.timeline.story, agent)
  if (isKey(by.author) && who !== by.author) return speaksForItself(place, who, by)
  const tags = [...place.tags, ...commentTags(place, by), ['complete', who]]
  return { created_at: by.at, kind: place.config.post_kind, tags, content: text }
}

/** Only a plain event may speak for another: see turns.ts. */
function speaksForItself({ timeline: { id } }: Place, agent: string, { author }: By): Refusal {
  return refuse('INPUT_INVALID', `a signed completion is that of its key, and cannot be one of "${agent}"`, {
    hint: `leave out --agent; steadfold chat route ${quoted(id)} ${author} --signed gives the turn to the key`,
    details: { agent, author },
  })
}

export function draftTitle(state: State, input: { conversation: string; title: string }, by: By): Draft {
  const place = placeToDecide(state, input.conversation, by)
  if (isRefusal(place)) return place
  const tags = [...place.tags, ['title', input.title]]
  return { created_at: by.at, kind: place.config.metadata_kind, tags, content: '' }
}

export function draftMember(state: State, input: Member & { conversation: string }, by: By): Draft {
  const place = placeToDecide(state, input.conversation, by)
  if (isRefusal(place)) return place
  const no = notAPerson(place, by, 'say who takes part in')
  if (no !== undefined) return no
  const tags = [...place.tags, memberTag(input)]
  return { created_at: by.at, kind: place.config.metadata_kind, tags, content: '' }
}

function notAPerson({ timeline }: Place, { author }: By, what: string): Refusal | undefined {
  if (isUser(timeline.story, author)) return undefined
  return refuse('NEEDS_PERSON', `${author} cannot ${what} conversation ${timeline.id}`, {
    hint: 'a person does so: --as human:NAME, or --signed with the key of one',
  })
}

export function draftArchive(state: State, input: { conversation: string; undo: boolean }, by: By): Draft {
  const place = placeToDecide(state, input.conversation, by)
  if (isRefusal(place)) return place
  const no = notAPerson(place, by, input.undo ? 'take out again' : 'put away')
  if (no !== undefined) return no
  const tags = [...place.tags, ['archive', String(!input.undo)]]
  return { created_at: by.at, kind: place.config.metadata_kind, tags, content: '' }
}

/** Said in the conversation that goes; who reads it is led to the other. */
export function draftMerge(state: State, input: { conversation: string; into: string }, by: By): Draft {
  const place = placeToDecide(state, input.conversation, by)
  const target = placeToDecide(state, input.into, by)
  const slice = conversationsOf(state)
  if (isRefusal(place)) return place
  if (isRefusal(target) || slice === undefined) return isRefusal(target) ? target : refuse('NOT_FOUND', 'nothing yet')
  const [from, to] = [place.timeline.id, redirected(slice, target.timeline.id)]
  if (from === to)
    return refuse('INPUT_INVALID', `conversation ${from} is the one it would be merged into`, {
      hint: 'steadfold chat list shows which conversations there are',
    })
  const tags = [...place.tags, ['merge', to]]
  return { created_at: by.at, kind: place.config.metadata_kind, tags, content: '' }
}

const reasonTag = (why: string | undefined): readonly (readonly string[])[] =>
  why === undefined || why === '' ? [] : [['reason', why]]

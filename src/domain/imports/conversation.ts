/* Conversations: files of either generation with their events, and events alone, one a line. */
import type { ImportPlan, Importer } from '../../kernel/exchange/importer.ts'
import {
  entriesOf,
  isMembers,
  itemsOf,
  linesOf,
  membersOf,
  NOTHING,
  stemOf,
  textOf,
  valueIn,
  type Members,
} from './members.ts'
import { left } from './tasks.ts'

const AT_ONCE = 500
const MOST_CHARACTERS = 300_000

export const conversationFile: Importer = {
  kind: 'conversation',
  summary: 'a conversation file: title, phase and its history of events',
  detects: ({ value }) =>
    isMembers(value) &&
    Array.isArray(value['history']) &&
    ('phase' in value || 'agentStates' in value) &&
    !('channels' in value),
  read: ({ value, path }) => {
    const file = membersOf(value)
    const { events, unreadable } = eventsOf(itemsOf(file['history']))
    const count = (key: string) => itemsOf(file[key]).length
    const states = statesOf(file['agentStates'])
    const known = states.map((state) => knownOf(file, events, state)).filter((each) => each.length > 0)
    return {
      group: stemOf(path),
      goal: textOf(file['title']),
      rows: [
        { what: 'events of the history', count: events.length, becomes: 'messages, phases and turns' },
        ...left('phase transitions, which follow from the events', count('phaseTransitions')),
        ...left('routing turns, which follow from the events', count('orchestratorTurns')),
        ...(known.length === 0
          ? []
          : [{ what: 'agents', count: known.length, becomes: 'who has seen all, and what is remembered for them' }]),
        ...left('states of agents', states.length - known.length),
        ...left('files that were read', count('readFiles')),
        ...left('metadata', entriesOf(file['metadata']).length),
      ],
      problems: [
        ...unreadable,
        ...untold('phase transitions', count('phaseTransitions') - tagged(events, 'phase-from')),
        ...untold('routing turns', count('orchestratorTurns') - tagged(events, 'route')),
      ],
      requests: [...ingest(events), ...known.flat()],
    }
  },
}

const tagged = (events: readonly Members[], name: string): number =>
  events.filter(({ tags }) => itemsOf(tags).some((tag) => itemsOf(tag)[0] === name)).length

/** A conversation is what its events say, so that it is the same everywhere. */
const untold = (what: string, missing: number): readonly string[] =>
  missing > 0 ? [`${missing} of the ${what} are told by no event, and are not here`] : []

type AgentState = readonly [agent: string, state: Members]

/** Pairs, as a map is written, or members. */
const statesOf = (given: unknown): readonly AgentState[] =>
  (Array.isArray(given) ? given.map((pair) => itemsOf(pair)) : entriesOf(given)).flatMap(([agent, state]) =>
    typeof agent === 'string' ? [[agent, membersOf(state)] as const] : [],
  )

/**
 * What is known of an agent, where the conversation is named as in its events. Places in the history are not those here;
 * who had seen all of it has seen all of it here.
 */
function knownOf({ id, history }: Members, events: readonly Members[], [agent, state]: AgentState) {
  const conversation = textOf(id)
  if (conversation === undefined || !events.some((event) => names(event, conversation))) return []
  const seen = Number(state['lastProcessedMessageIndex']) >= itemsOf(history).length
  const texts = Object.entries(state).filter((entry): entry is [string, string] => textOf(entry[1]) !== undefined)
  return [
    ...(seen ? [{ op: 'chat.seen', input: { conversation, agent } }] : []),
    ...texts.map(([key, value]) => ({
      op: 'chat.remember',
      input: { conversation, agent, value, key: key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) },
    })),
  ]
}

const names = ({ id, tags }: Members, conversation: string): boolean =>
  id === conversation ||
  itemsOf(tags).some((tag) => /^[dEe]$/.test(String(itemsOf(tag)[0])) && itemsOf(tag)[1] === conversation)

export const signedLines: Importer = {
  kind: 'signed-events',
  summary: 'signed events of a relay (NIP-01), one a line',
  detects: ({ text }) => linesOf(text, isEvent) !== undefined,
  read: ({ text, path }) => {
    const { objects: events, problems } = linesOf(text, isEvent) ?? NOTHING
    return {
      group: stemOf(path),
      rows: [
        {
          what: 'events',
          count: events.length,
          becomes: 'messages of conversations, each after its signature is checked',
        },
      ],
      problems,
      requests: ingest(events),
    }
  },
}

const isEvent = (event: Members): boolean =>
  ['id', 'pubkey', 'content'].every((key) => typeof event[key] === 'string') && Array.isArray(event['tags'])

/** The first generation keeps each event as JSON in a text, the second as it is, or under a member of its own. */
function eventsOf(history: readonly unknown[]): {
  readonly events: readonly Members[]
  readonly unreadable: readonly string[]
} {
  const unreadable: string[] = []
  const events = history.flatMap((each, at) => {
    const given = typeof each === 'string' ? valueIn(each) : each
    const { event: inner, rawEvent } = membersOf(given)
    const event = [given, inner, rawEvent].filter(isMembers).find(isEvent)
    if (event === undefined) unreadable.push(`history ${at + 1} is no event`)
    return event === undefined ? [] : [event]
  })
  return { events, unreadable }
}

/** In groups, each of which fits into one commit. */
function ingest(events: readonly Members[]): ImportPlan['requests'] {
  const groups: Members[][] = []
  let size = 0
  for (const event of events) {
    const last = groups.at(-1)
    const own = JSON.stringify(event).length
    const fits = last !== undefined && last.length < AT_ONCE && size + own <= MOST_CHARACTERS
    if (fits) last.push(event)
    else groups.push([event])
    size = fits ? size + own : own
  }
  return groups.map((group) => ({ op: 'chat.ingest', input: { events: group, origin: 'import' } }))
}

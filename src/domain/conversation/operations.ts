import * as z from 'zod/mini'
import type { Event } from '../../kernel/log/commit.ts'
import { writeOperation, type Context, type History } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { decideIngest, decideSpeech, prepareIngest, prepareSpeech, type Signing } from './decide.ts'
import { PHASES, type ChatEvent } from './events.ts'
import { agent, conversation, newName, text } from './fields.ts'
import { noteOperations } from './note-operations.ts'
import type { ConversationPorts } from './ports.ts'
import { hashOperation, readOperations } from './read-operations.ts'
import { draftFork, draftOpen, draftPost, type By, type Draft } from './speak.ts'
import { draftArchive, draftComplete, draftMember, draftMerge, draftMove, draftRoute, draftTitle } from './steer.ts'
import { PARTIAL_POLICIES } from './told.ts'

const MOST_EVENTS = 5000
const MOST_AGENTS = 100
const LONGEST_S = 30 * 24 * 3600

/** `event` is filled in by `prepare`. */
const signing = { signed: z._default(z.boolean(), false), event: z.optional(z.unknown()) }

export const conversationOperations = (ports: ConversationPorts) => [
  open(ports),
  post(ports),
  fork(ports),
  ingest(ports),
  phase(ports),
  route(ports),
  complete(ports),
  title(ports),
  member(ports),
  archive(ports),
  merge(ports),
  ...noteOperations,
  ...readOperations,
  hashOperation(ports),
]

const open = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.open',
    summary: 'Begin a conversation',
    input: () =>
      z.object({
        title: z.optional(text),
        id: z.optional(newName),
        text: z.optional(text),
        template: z.optional(conversation),
        ...signing,
      }),
    positional: ['title'],
    ...speech(ports, draftOpen),
  })

const post = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.post',
    summary: 'Say something in a conversation',
    input: () =>
      z.object({
        conversation,
        text,
        reply: z.optional(conversation),
        mentions: z._default(z.array(agent).check(z.maxLength(MOST_AGENTS)), []),
        tool: z.optional(agent),
        call: z.optional(agent),
        result: z.optional(agent),
        voice: z._default(z.boolean(), false),
        ...signing,
      }),
    positional: ['conversation', 'text'],
    ...speech(ports, draftPost),
  })

const fork = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.fork',
    summary: 'Go on from a message in a conversation of its own',
    input: () =>
      z.object({
        conversation,
        at: z.optional(conversation),
        title: z.optional(text),
        id: z.optional(newName),
        ...signing,
      }),
    positional: ['conversation', 'at'],
    ...speech(ports, draftFork),
  })

const ingest = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.ingest',
    summary: 'Take in events from elsewhere; each is checked before it counts',
    input: () =>
      z.object({
        events: z.array(z.unknown()).check(z.maxLength(MOST_EVENTS)),
        origin: z._default(text, 'ingest'),
        plain: z._default(z.boolean(), false),
        of: z.optional(z.array(text)),
        verified: z.optional(z.unknown()),
      }),
    positional: ['events'],
    prepare: async (history, input) => prepareIngest(history.state, input, ports),
    // An event that was verified stays so, and one that is known stays known.
    lasts: () => true,
    decide: (state, input, context) => decideIngest(state, input, { sha256: ports.sha256, context }),
    answer: ingested,
  })

const phase = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.phase',
    summary: 'Move a conversation to another phase, hand off in the same one, or go back',
    input: () =>
      z.object({
        conversation,
        to: z.enum(PHASES),
        text: z._default(text, ''),
        why: z.optional(text),
        rollback: z._default(z.boolean(), false),
        ...signing,
      }),
    positional: ['conversation', 'to', 'text'],
    ...speech(ports, draftMove),
  })

const route = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.route',
    summary: 'Give a turn to agents',
    input: () =>
      z.object({
        conversation,
        agents: z.array(agent).check(z.minLength(1), z.maxLength(MOST_AGENTS)),
        why: z.optional(text),
        phase: z.optional(z.enum(PHASES)),
        timeout_s: z.optional(z.int().check(z.positive(), z.maximum(LONGEST_S))),
        partial: z._default(z.enum(PARTIAL_POLICIES), 'wait'),
        ...signing,
      }),
    positional: ['conversation', 'agents'],
    ...speech(ports, draftRoute),
  })

const complete = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.complete',
    summary: 'Say that an agent is done with its part of a turn',
    input: () => z.object({ conversation, text: z._default(text, ''), agent: z.optional(agent), ...signing }),
    positional: ['conversation', 'text'],
    ...speech(ports, draftComplete),
  })

const title = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.title',
    summary: 'Give a conversation another title',
    input: () => z.object({ conversation, title: text, ...signing }),
    positional: ['conversation', 'title'],
    ...speech(ports, draftTitle),
  })

const member = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.member',
    summary: 'Say who takes part, and whether it is a person or an agent',
    input: () =>
      z.object({
        conversation,
        author: agent,
        role: z.enum(['user', 'agent']),
        name: z._default(text, ''),
        ...signing,
      }),
    positional: ['conversation', 'author', 'role', 'name'],
    ...speech(ports, draftMember),
  })

const archive = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.archive',
    summary: 'Put a conversation away, or take it out again; nothing is removed',
    input: () => z.object({ conversation, undo: z._default(z.boolean(), false), ...signing }),
    positional: ['conversation'],
    ...speech(ports, draftArchive),
  })

const merge = (ports: ConversationPorts) =>
  writeOperation({
    name: 'chat.merge',
    summary: 'Make one of two conversations; who reads the first is led to the second',
    input: () => z.object({ conversation, into: conversation, ...signing }),
    positional: ['conversation', 'into'],
    ...speech(ports, draftMerge),
  })

/** What all operations that say something have in common. */
function speech<Input>(ports: ConversationPorts, make: (state: Readonly<Tree>, input: Input, by: By) => Draft) {
  const { sha256 } = ports
  return {
    prepare: async <Given extends Input & Signing>(history: History, input: Given): Promise<Given> =>
      prepareSpeech(history.state, input, make, ports),
    // What is not signed is made by `decide`.
    lasts: ({ signed }: Signing) => !signed,
    decide: (state: Readonly<Tree>, input: Input & Signing, context: Context) =>
      decideSpeech(state, input, { make, sha256, context }),
    answer: said,
  }
}

const receivedIn = (events: readonly Event[]) =>
  events.flatMap(({ type, data }) =>
    // What this type carries.
    type === 'chat.received' ? [data as { readonly conversation: string; readonly events: readonly ChatEvent[] }] : [],
  )

function said(events: readonly Event[]) {
  const [received] = receivedIn(events)
  const event = received?.events[0]
  return event === undefined
    ? undefined
    : { conversation: received?.conversation, event: event.id, author: event.pubkey }
}

/** What was given and is in none of these was known already, or of a kind that does not count. */
function ingested(events: readonly Event[]) {
  const received = receivedIn(events)
  const ofType = (wanted: string) => events.filter(({ type }) => type === wanted)
  return {
    received: received.reduce((sum, { events: list }) => sum + list.length, 0),
    conversations: received.map(({ conversation: id }) => id),
    held: ofType('chat.held').length,
    quarantined: ofType('chat.quarantined').map(({ data }) => data),
  }
}

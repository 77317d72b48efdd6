import * as z from 'zod/mini'
import { readOperation } from '../../kernel/operation/operation.ts'
import { conversationsOf } from './conversation.ts'
import { PHASES } from './events.ts'
import { agent, conversation, text } from './fields.ts'
import type { ConversationPorts } from './ports.ts'
import { syncView } from './sync.ts'
import {
  builtFor,
  conversationRows,
  conversationView,
  exported,
  hashView,
  narrativeView,
  quarantineRows,
  turnRowsOf,
  unreadRows,
} from './views.ts'
import { WINDOWS } from './window.ts'

const DEFAULT_BUDGET = 100_000
const DEFAULT_SHOWN = 1000
const MOST_SYNCED = 500

const positive = z.int().check(z.positive())

export const readOperations = [
  readOperation({
    name: 'chat.list',
    summary: 'The conversations, by phase or by who takes part',
    input: () =>
      z.object({
        phase: z.optional(z.enum(PHASES)),
        agent: z.optional(agent),
        all: z._default(z.boolean(), false),
      }),
    read: (state, input, { now }) => conversationRows(state, input, now),
  }),
  readOperation({
    name: 'chat.show',
    summary: 'One conversation in order; of a long one the beginning and the end',
    input: () => z.object({ conversation, last: z._default(positive, DEFAULT_SHOWN) }),
    positional: ['conversation'],
    read: (state, input, { now }) => conversationView(state, input, now),
  }),
  readOperation({
    name: 'chat.build',
    summary: 'The messages that an agent is given, and the cursor to note when it has been',
    input: () =>
      z.object({
        conversation,
        agent,
        trigger: z.optional(conversation),
        budget: z._default(positive, DEFAULT_BUDGET),
        window: z._default(z.enum(WINDOWS), 'last'),
        summary: z.optional(text),
      }),
    positional: ['conversation', 'agent'],
    read: (state, input) => builtFor(state, input),
  }),
  readOperation({
    name: 'chat.unread',
    summary: 'What an agent has not seen',
    input: () => z.object({ conversation, agent }),
    positional: ['conversation', 'agent'],
    read: (state, input) => unreadRows(state, input),
  }),
  readOperation({
    name: 'chat.turns',
    summary: 'Who was routed to, who has completed, what is late',
    input: () => z.object({ conversation }),
    positional: ['conversation'],
    read: (state, input, { now }) => turnRowsOf(state, input.conversation, now),
  }),
  readOperation({
    name: 'chat.narrative',
    summary: 'What was asked for and what came of it, for whoever routes next',
    input: () => z.object({ conversation }),
    positional: ['conversation'],
    read: (state, input, { now }) => narrativeView(state, input.conversation, now),
  }),
  readOperation({
    name: 'chat.export',
    summary: 'The events themselves, as chat ingest takes them',
    input: () => z.object({ conversation, signed: z._default(z.boolean(), false) }),
    positional: ['conversation'],
    read: (state, input) => exported(state, input),
  }),
  readOperation({
    name: 'chat.quarantine',
    summary: 'What was not let in, and why',
    input: () => z.object({}),
    read: (state) => quarantineRows(state),
  }),
  readOperation({
    name: 'chat.templates',
    summary: 'How conversations may begin',
    input: () => z.object({}),
    read: (state) =>
      Object.entries(conversationsOf(state)?.templates ?? {}).map(([name, template]) => ({ name, ...template })),
  }),
  readOperation({
    name: 'chat.exchange',
    summary: 'What is owed to a relay and what is missing here',
    input: () => z.object({ relay: conversation }),
    positional: ['relay'],
    read: (state, input) => syncView(state, { ...input, most: MOST_SYNCED }),
  }),
]

export const hashOperation = ({ sha256 }: Pick<ConversationPorts, 'sha256'>) =>
  readOperation({
    name: 'chat.hash',
    summary: 'One number for all that was said and decided: the same in every store that has the same events',
    input: () => z.object({ conversation }),
    positional: ['conversation'],
    read: (state, input) => hashView(state, input.conversation, sha256),
  })

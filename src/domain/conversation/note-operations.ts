/** What this store keeps for itself about conversations. */
import * as z from 'zod/mini'
import { writeOperation } from '../../kernel/operation/operation.ts'
import { PHASES } from './events.ts'
import { agent, conversation, newName, text } from './fields.ts'
import { decideConfigure, decideExecution, decideFile, decideRemember, decideSeen, decideTemplate } from './notes.ts'
import { isPhase, MOVES } from './phases.ts'
import { decideSynced } from './sync.ts'

const MOST_KIND = 65_535
const MOST_IDS = 5000

const who = z.optional(agent)
const kind = z.int().check(z.nonnegative(), z.maximum(MOST_KIND))
const count = z.int().check(z.nonnegative())

export const noteOperations = [
  writeOperation({
    name: 'chat.seen',
    summary: 'Note how far an agent has been given a conversation; all of it when no cursor is given',
    input: () => z.object({ conversation, agent: who, cursor: z.optional(z.record(conversation, count)) }),
    positional: ['conversation', 'agent'],
    decide: decideSeen,
  }),
  writeOperation({
    name: 'chat.remember',
    summary: 'Keep a text for an agent in a conversation, such as claude_session_id; forgotten when none is given',
    input: () => z.object({ conversation, key: newName, value: z.optional(text), agent: who }),
    positional: ['conversation', 'key', 'value'],
    decide: decideRemember,
  }),
  writeOperation({
    name: 'chat.file',
    summary: 'Note that an agent has read a file; the move from reflection to chat clears them',
    input: () => z.object({ conversation, path: conversation, agent: who }),
    positional: ['conversation', 'path'],
    decide: decideFile,
  }),
  writeOperation({
    name: 'chat.execution',
    summary: 'Measure how long an agent runs: start, note that it still does, stop',
    input: () => z.object({ conversation, action: z.enum(['start', 'note', 'stop']), agent: who }),
    positional: ['conversation', 'action'],
    decide: decideExecution,
  }),
  writeOperation({
    name: 'chat.configure',
    summary:
      'Set which kinds of events count, as what messages are written, and whether the table of phases only advises',
    input: () =>
      z.object({
        kinds: z.optional(z.array(kind).check(z.minLength(1), z.maxLength(100))),
        root_kind: z.optional(kind),
        post_kind: z.optional(kind),
        metadata_kind: z.optional(kind),
        advisory: z.optional(z.boolean()),
      }),
    decide: (state, input) =>
      decideConfigure(state, Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))),
  }),
  writeOperation({
    name: 'chat.template',
    summary: 'Keep how a conversation begins under a name',
    input: () =>
      z.object({
        name: newName,
        title: z._default(text, ''),
        phase: z._default(
          z
            .enum(PHASES)
            .check(z.refine((to: unknown) => to === 'chat' || isFirst(to), 'is no phase that chat goes to')),
          'chat',
        ),
        text: z._default(text, ''),
        users: z._default(z.array(agent).check(z.maxLength(100)), []),
        agents: z._default(z.array(agent).check(z.maxLength(100)), []),
        remove: z._default(z.boolean(), false),
      }),
    positional: ['name', 'title'],
    decide: (state, { name, remove, title, phase, text: first, users, agents }) =>
      decideTemplate(state, {
        name,
        remove,
        template: {
          title,
          phase,
          text: first,
          members: [...users.map(asMember('user')), ...agents.map(asMember('agent'))],
        },
      }),
  }),
  writeOperation({
    name: 'chat.synced',
    summary: 'Note how far a relay has been read, and what it answered to what was published',
    input: () =>
      z.object({
        relay: conversation,
        since: z.optional(count),
        published: z._default(
          z.array(z.object({ id: conversation, refused: z.nullable(text) })).check(z.maxLength(MOST_IDS)),
          [],
        ),
        whole: z._default(z.array(conversation), []),
      }),
    positional: ['relay'],
    decide: decideSynced,
  }),
]

const isFirst = (to: unknown): boolean => typeof to === 'string' && isPhase(to) && MOVES.chat.includes(to)

const asMember = (role: 'user' | 'agent') => (author: string) => ({ author, role, name: '' })

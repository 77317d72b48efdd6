import * as z from 'zod/mini'
import type { Event } from '../../kernel/log/commit.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { mustBe } from './ask.ts'
import { decideCreate, decideRemove, decideSet } from './decide-channel.ts'
import { decideSay } from './decide-say.ts'
import { decideJoin, decideLeave, decidePause, decidePoll, decideResume } from './decide-seat.ts'
import { decideEnd, decideExtend, decideSkip, decideStart, decideTake } from './decide-turn.ts'
import type { TurnEvent } from './events.ts'
import { decideImport, exported } from './exchange.ts'
import {
  agent,
  channel,
  cost,
  duration,
  note,
  orchestrationState,
  position,
  seat,
  settings,
  text,
  token,
  tokens,
} from './inputs.ts'
import { turnsOf } from './turns.ts'
import { channelRows, historyRows, messageRows, turnRows, turnsNeedingPerson } from './views.ts'

const isTurnEvent = (event: Event): event is TurnEvent => event.type.startsWith('turn.')

/** Who has which turn after the operation, for fencing: the last one that it gave or took up. */
function given(events: readonly Event[]) {
  const last = events.filter(isTurnEvent).findLast(({ type }) => type === 'turn.started' || type === 'turn.taken')
  if (last?.type !== 'turn.started' && last?.type !== 'turn.taken') return undefined
  const { channel: id, agent: name, token: seq } = last.data
  return { channel: id, agent: name, token: seq }
}

/** What saying it came to. */
function saidAnswer(events: readonly Event[]) {
  const own = events.filter(isTurnEvent)
  const said = own.find((event) => event.type === 'turn.said')
  const started = own.findLast((event) => event.type === 'turn.started')
  const held = own.findLast((event) => event.type === 'turn.held')
  return {
    posted: said?.data.posted ?? false,
    late: said?.data.late ?? false,
    ended: own.some(({ type }) => type === 'turn.ended'),
    next: started?.data.agent ?? null,
    held: held?.data.kind ?? null,
  }
}

const of = { channel, agent: z.optional(agent) }

export const turnOperations = [
  writeOperation({
    name: 'turn.join',
    summary: 'Sit down in a channel, or come back to its place there',
    input: () => z.object({ ...of, position, ...seat }),
    positional: ['channel', 'agent'],
    decide: decideJoin,
  }),
  writeOperation({
    name: 'turn.leave',
    summary: 'Leave a channel, for good or with the place kept',
    input: () => z.object({ ...of, keep: z._default(z.boolean(), false) }),
    positional: ['channel', 'agent'],
    decide: decideLeave,
  }),
  writeOperation({
    name: 'turn.start',
    summary: 'Give the turn where nobody has it: to the next, or to one by name',
    input: () => z.object(of),
    positional: ['channel', 'agent'],
    decide: decideStart,
    answer: given,
  }),
  writeOperation({
    name: 'turn.take',
    summary: 'Take the turn; from another only as a person, or as an agent that may interrupt',
    input: () => z.object(of),
    positional: ['channel', 'agent'],
    decide: decideTake,
    answer: given,
  }),
  writeOperation({
    name: 'turn.end',
    summary: 'End a turn without a word',
    input: () => z.object({ ...of, token, tokens, cost_usd: cost }),
    positional: ['channel'],
    decide: decideEnd,
  }),
  writeOperation({
    name: 'turn.skip',
    summary: 'End the turn of whoever has it; the next follows',
    input: () => z.object(of),
    positional: ['channel', 'agent'],
    decide: decideSkip,
  }),
  writeOperation({
    name: 'turn.extend',
    summary: 'Give a turn more time',
    input: () => z.object({ ...of, by_ms: z._default(duration, 60_000), token }),
    positional: ['channel'],
    decide: decideExtend,
    answer: (events) => events.find((event) => event.type === 'turn.extended')?.data,
  }),
  writeOperation({
    name: 'turn.pause',
    summary: 'Let a channel stand still, clock and all',
    input: () => z.object({ channel, note }),
    positional: ['channel'],
    decide: decidePause,
  }),
  writeOperation({
    name: 'turn.resume',
    summary: 'Let a channel go on that was paused, interrupted or stopped by its guard',
    input: () => z.object({ channel }),
    positional: ['channel'],
    decide: decideResume,
  }),
  writeOperation({
    name: 'turn.say',
    summary: 'Post a message; the signal at its end ends the turn',
    input: () => z.object({ ...of, text, token, tokens, cost_usd: cost }),
    positional: ['channel', 'text'],
    decide: decideSay,
    answer: saidAnswer,
  }),
  writeOperation({
    name: 'turn.poll',
    summary: "Look whether it is an agent's turn, and put on record what time has brought about",
    input: () => z.object({ channel: z.optional(channel), agent: z.optional(agent) }),
    positional: ['agent'],
    decide: decidePoll,
    answer: given,
  }),
  writeOperation({
    name: 'turn.import',
    summary: 'Take over channels, queues and history of an orchestration-state.json',
    input: () => z.object({ document: orchestrationState }),
    decide: decideImport,
    answer: (events) => {
      const [imported, ...recovered] = events.filter(isTurnEvent)
      if (imported?.type !== 'turn.imported') return undefined
      const { channels, left_out, history } = imported.data
      const ended = recovered.filter(({ type }) => type === 'turn.ended')
      return { channels: channels.map(({ id }) => id), history: history.length, recovered: ended.length, left_out }
    },
  }),
  readOperation({
    name: 'turn.export',
    summary: 'The channels as an orchestration-state.json of version 1.0',
    input: () => z.object({}),
    read: (state, _input, { now }) => exported(turnsOf(state), now),
  }),
  readOperation({
    name: 'turn.list',
    summary: 'Who sits where, who has the turn and for how long',
    input: () => z.object({ channel: z.optional(channel), agent: z.optional(agent) }),
    positional: ['channel'],
    read: (state, input, { now }) => {
      mustBe(state, input.channel)
      return turnRows(turnsOf(state), input, now)
    },
  }),
  readOperation({
    name: 'turn.history',
    summary: 'The last hundred things that happened, oldest first',
    input: () => z.object({ channel: z.optional(channel), agent: z.optional(agent) }),
    positional: ['channel'],
    read: (state, input) => {
      const rows = historyRows(turnsOf(state), input)
      // Of a channel that was removed there is still what happened in it.
      if (rows.length === 0) mustBe(state, input.channel)
      return rows
    },
  }),
  readOperation({
    name: 'turn.messages',
    summary: 'The last hundred messages of a channel, oldest first',
    input: () => z.object({ channel, after: z.optional(z.int()), waiting: z.optional(z.boolean()) }),
    positional: ['channel'],
    read: (state, { channel: id, ...wanted }) => {
      mustBe(state, id)
      return messageRows(turnsOf(state), id, wanted)
    },
  }),
]

export const channelOperations = [
  writeOperation({
    name: 'channel.create',
    summary: 'Make a channel',
    input: () => z.object({ channel, ...settings }),
    positional: ['channel'],
    decide: decideCreate,
  }),
  writeOperation({
    name: 'channel.set',
    summary: 'Change the settings of a channel',
    input: () => z.object({ channel, ...settings }),
    positional: ['channel'],
    decide: decideSet,
  }),
  writeOperation({
    name: 'channel.remove',
    summary: 'Take a channel away, with its queue and its messages; the log keeps them',
    input: () => z.object({ channel }),
    positional: ['channel'],
    decide: decideRemove,
  }),
  readOperation({
    name: 'channel.list',
    summary: 'Channels, who has the turn in each, and who stopped them',
    input: () => z.object({ stopped: z.optional(z.boolean()) }),
    read: (state, { stopped }, { now }) =>
      stopped === true ? turnsNeedingPerson(turnsOf(state), now) : channelRows(turnsOf(state), now),
  }),
]

/** Turns that are said, looked at, and taken over from a file. The rest is made from the operations. */
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import { written } from '../answer/answer.ts'
import { lines, rowsOf } from '../answer/turn-view.ts'
import { needed, numberOf, textOf } from '../context/input.ts'
import { plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command, Flag } from '../syntax/command.ts'
import { jsonIn, readText } from '../syntax/value.ts'
import { turnWatch } from './turn-watch.ts'
import { readAt } from './workflow.ts'

const CHANNEL = { name: 'CHANNEL', field: 'channel', type: 'text', required: true, summary: 'the channel' } as const

const AGENT: Flag = {
  name: 'agent',
  field: 'agent',
  type: 'text',
  value: 'AGENT',
  summary: 'for which agent; for the one that asks when left out',
}

const TOKEN: Flag = {
  name: 'token',
  field: 'token',
  type: 'number',
  value: 'N',
  summary: 'of the turn, as wait --turn printed it; exit 6 when that turn is over',
}

const say: Command = {
  name: 'turn say',
  summary: 'post a message; the signal at its end (TURN_COMPLETE) ends the turn',
  examples: [
    'turn say room "argon2, since it is memory-hard. TURN_COMPLETE" --as agent:dev --token 42',
    'turn say room "what about cost?"',
    'turn say room - --as agent:pm',
  ],
  notes:
    'An agent speaks in its turn; else exit 6 and who has it. After a timeout what it says is posted, marked late, and moves nothing. A person speaks whenever it wants. Exit 11: the channel has stopped for a person.',
  parameters: [
    CHANNEL,
    { name: 'TEXT', field: 'text', type: 'text', required: true, summary: 'the message; - for stdin' },
  ],
  flags: [
    AGENT,
    TOKEN,
    { name: 'tokens', field: 'tokens', type: 'number', value: 'N', summary: 'what it took, for the budget' },
    { name: 'cost-usd', field: 'cost', type: 'number', value: 'USD', summary: 'what it cost, for the budget' },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const word = needed(input, 'text')
    const asked = {
      channel: needed(input, 'channel'),
      text: word === '-' ? readText(context, '-') : word,
      agent: textOf(input, 'agent'),
      token: numberOf(input, 'token'),
      tokens: numberOf(input, 'tokens'),
      cost_usd: numberOf(input, 'cost'),
    }
    const session = await context.session('write')
    const answer = accepted(await session.run('turn.say', asked, context.options))
    return written(context, answer, () => saidText(membersOf(answer.value), asked.channel))
  },
}

function saidText({ posted, late, ended, next, held }: Readonly<Record<string, unknown>>, channel: string): string {
  const what =
    posted === true ? (late === true ? 'posted, late' : 'posted') : ended === true ? 'done' : 'kept for later'
  if (held === 'guard')
    return `${what}; the channel has stopped for a person: steadfold turn resume ${quoted(plain(channel))}`
  if (held !== null) return `${what}; the turn waits`
  if (typeof next === 'string') return `${what}; it is the turn of ${plain(next)}`
  return ended === true ? `${what}; nobody follows` : what
}

const extend: Command = {
  name: 'turn extend',
  summary: 'give a turn more time',
  examples: ['turn extend room --by 2m', 'turn extend room --by 30s --as agent:dev --token 42'],
  parameters: [CHANNEL],
  flags: [
    { name: 'by', field: 'by', type: 'duration', value: 'TIME', summary: 'so much; 60s when left out' },
    AGENT,
    TOKEN,
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const session = await context.session('write')
    const asked = {
      channel: needed(input, 'channel'),
      by_ms: numberOf(input, 'by'),
      agent: textOf(input, 'agent'),
      token: numberOf(input, 'token'),
    }
    const answer = accepted(await session.run('turn.extend', asked, context.options))
    const { deadline } = membersOf(answer.value)
    return written(context, answer, () => `until ${new Date(Number(deadline)).toISOString()}`)
  },
}

const list: Command = {
  name: 'turn list',
  summary: 'who sits where, who has the turn and for how long',
  examples: ['turn list', 'turn list room --json'],
  parameters: [{ ...CHANNEL, required: false, summary: 'only this one' }],
  flags: [{ ...AGENT, summary: 'only this one' }],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const wanted = { channel: textOf(input, 'channel'), agent: textOf(input, 'agent') }
    const data = accepted(await session.run('turn.list', wanted)).value
    const seats = rowsOf(data)
    const channels = rowsOf(accepted(await session.run('channel.list', {})).value).filter(
      ({ channel }) =>
        channel === (wanted.channel ?? channel) &&
        (wanted.agent === undefined || seats.some((seat) => seat['channel'] === channel)),
    )
    return { data, text: () => lines(context, channels, seats).join('\n') || 'nobody sits there' }
  },
}

const importing: Command = {
  name: 'turn import',
  summary: 'take over channels, queues, turns and history of an orchestration-state.json',
  examples: ['turn import orchestration-state.json', 'turn import orchestration-state.json --dry-run'],
  notes:
    'The file is only read. A turn in it whose time is over ends with reason recovery, and the next one there follows.',
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: true, summary: 'the file; - for stdin' }],
  flags: [],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const file = needed(input, 'file')
    const document = jsonIn(readText(context, file), file)
    const session = await context.session('write')
    const answer = accepted(await session.run('turn.import', { document }, context.options))
    return written(context, answer, () => importText(membersOf(answer.value)))
  },
}

function importText({ channels, recovered, history, left_out }: Readonly<Record<string, unknown>>): string {
  const out = Array.isArray(left_out) && left_out.length > 0 ? `; in no channel: ${plain(left_out.join(', '))}` : ''
  const rooms = Array.isArray(channels) ? plain(channels.join(', ')) : ''
  return `channels ${rooms}; ${String(history)} of history; ${String(recovered)} recovered${out}`
}

const exporting: Command = {
  name: 'turn export',
  summary: 'the channels as an orchestration-state.json of version 1.0',
  examples: ['turn export > orchestration-state.json', 'turn export --at draft-done'],
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const data = await readAt(context, 'turn.export', {})
    return { data, text: () => JSON.stringify(data, null, 2) }
  },
}

const history: Command = {
  name: 'turn history',
  summary: 'the last hundred things that happened in channels, oldest first',
  examples: ['turn history', 'turn history room --json'],
  parameters: [{ ...CHANNEL, required: false, summary: 'only of this one' }],
  flags: [{ ...AGENT, summary: 'only of this one' }],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const wanted = { channel: textOf(input, 'channel'), agent: textOf(input, 'agent') }
    const data = accepted(await session.run('turn.history', wanted)).value
    return { data, text: () => rowsOf(data).map(historyLine).join('\n') || 'nothing yet' }
  },
}

function historyLine({ timestamp, event, agentId, channelId, details }: Readonly<Record<string, unknown>>): string {
  const { reason, durationSeconds, message, to } = membersOf(details)
  const more = [reason, message, typeof to === 'string' ? `→ ${to}` : undefined].map((each) => textAt(each) ?? '')
  const took = typeof durationSeconds === 'number' ? `${durationSeconds}s` : ''
  const words = [timestamp, channelId, event, agentId].map((each) => textAt(each) ?? '')
  return plain([...words, ...more, took].filter((each) => each !== '').join('  '))
}

const messages: Command = {
  name: 'turn messages',
  summary: 'the last hundred messages of a channel, oldest first',
  examples: ['turn messages room', 'turn messages room --after 41 --json'],
  parameters: [CHANNEL],
  flags: [
    { name: 'after', field: 'after', type: 'number', value: 'N', summary: 'only those behind this number' },
    {
      name: 'waiting',
      field: 'waiting',
      type: 'boolean',
      summary: 'also those that wait for the end of a turn; they have no number yet',
    },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const wanted = {
      channel: needed(input, 'channel'),
      after: numberOf(input, 'after'),
      waiting: input['waiting'] === true,
    }
    const data = accepted(await session.run('turn.messages', wanted)).value
    return { data, text: () => rowsOf(data).map(messageLine).join('\n') || 'nothing was said yet' }
  },
}

function messageLine({ n, author, text, late, posted }: Readonly<Record<string, unknown>>): string {
  const mark = late === true ? ' (late)' : posted === false ? ' (waits)' : ''
  return `${typeof n === 'number' ? String(n) : '-'}  ${plain(textAt(author) ?? '')}${mark}: ${plain(textAt(text) ?? '')}`
}

export const turnCommands: readonly Command[] = [say, extend, list, turnWatch, history, messages, importing, exporting]

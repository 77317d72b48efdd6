/** Conversations as people read them, as agents are given them, and in and out as events. The rest is made from the operations. */
import * as path from 'node:path'
import { asError, EngineError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted, type RunOptions } from '../../../kernel/operation/answer.ts'
import { inParts } from '../../../kernel/operation/in-parts.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed, numberOf, textOf } from '../context/input.ts'
import { quoted } from '../context/scope.ts'
import { ago, count, plain, plainLines } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command, Flag, Parameter } from '../syntax/command.ts'
import { readText } from '../syntax/value.ts'
import { chatSync } from './chat-sync.ts'

const AT_A_TIME = 500

const CONVERSATION: Parameter = {
  name: 'CONVERSATION',
  field: 'conversation',
  type: 'text',
  required: true,
  summary: 'its id, the only beginning of one, or its title',
}

const text = (name: string, value: string, summary: string): Flag => ({
  name,
  field: name,
  type: 'text',
  value,
  summary,
})

type Row = Readonly<Record<string, unknown>>
const rowsAt = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.map((each) => membersOf(each)) : [])

const show: Command<App> = {
  name: 'chat show',
  summary: 'print a conversation in order',
  examples: ['chat show login', 'chat show login --last 20', 'chat show login --json'],
  parameters: [CONVERSATION],
  flags: [
    {
      name: 'last',
      field: 'last',
      type: 'number',
      value: 'N',
      summary: 'at most so many messages, from the beginning and the end; 1000 when left out',
    },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const wanted = { conversation: needed(input, 'conversation'), last: numberOf(input, 'last') }
    const { value, seq } = accepted(await session.run('chat.show', wanted))
    const view = membersOf(value)
    return { data: { value, seq }, text: () => shownText(context, view) }
  },
}

function shownText(context: Context, view: Row): string {
  const { paint } = context
  const shown = rowsAt(view['shown'])
  const [title, phase] = [plain(String(view['title'])), String(view['phase'])]
  const total = typeof view['messages'] === 'number' ? view['messages'] : shown.length
  const cut = total === shown.length ? '' : `, ${shown.length} shown`
  const head = `${paint.bold(title)}  ${phase}  ${count(total, 'message')}${cut}${view['archived'] === true ? '  archived' : ''}`
  return [head, ...shown.map((row) => spoken(context, row))].join('\n')
}

function spoken({ paint, now }: Context, row: Row): string {
  const at = textAt(row['at']) ?? ''
  const marks = [row['signed'] === true ? 'signed' : '', plain(textAt(row['does']) ?? '')].filter((mark) => mark !== '')
  const head = [String(row['id']).slice(0, 8), plain(String(row['author'])), ago(at, now()), ...marks].join('  ')
  const said = plainLines(String(row['content']))
  return `${paint.dim(head)}${said === '' ? '' : `\n  ${said.replaceAll('\n', '\n  ')}`}`
}

const read: Command<App> = {
  name: 'chat read',
  summary: 'the messages that an agent is given; what was unread is told once',
  examples: [
    'chat read login planner --json',
    'chat read login planner --trigger 3f… --budget 8000 --window first-last',
    'chat read login planner --peek',
  ],
  notes:
    'Its own messages are assistant, those of people user, all others system with a name. A tool call is never parted from its result.',
  parameters: [
    CONVERSATION,
    { name: 'AGENT', field: 'agent', type: 'text', required: true, summary: 'name, actor or key' },
  ],
  flags: [
    text('trigger', 'ID', 'the message that it is to answer; comes last'),
    { name: 'budget', field: 'budget', type: 'number', value: 'TOKENS', summary: 'an estimate; 100000 when left out' },
    { ...text('window', 'WHICH', 'what of a long one is kept'), choices: ['last', 'first-last', 'summary'] },
    text('summary', 'TEXT', 'stands for what is left out'),
    { name: 'peek', field: 'peek', type: 'boolean', summary: 'what is unread stays so' },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const session = await context.session(isOn(input, 'peek') ? 'read' : 'write')
    const [conversation, agent] = [needed(input, 'conversation'), needed(input, 'agent')]
    const wanted = {
      conversation,
      agent,
      trigger: textOf(input, 'trigger'),
      budget: numberOf(input, 'budget'),
      window: textOf(input, 'window'),
      summary: textOf(input, 'summary'),
    }
    const built = membersOf(accepted(await session.run('chat.build', wanted)).value)
    if (!isOn(input, 'peek'))
      accepted(await session.run('chat.seen', { conversation, agent, cursor: built['cursor'] }, context.options))
    return {
      data: { ...built, seq: session.seq },
      text: () =>
        rowsAt(built['messages'])
          .map(({ role, name, content }) => {
            const who = [textAt(role), textAt(name)].filter((word) => word !== null).join(' ')
            return `${context.paint.dim(plain(who))}\n  ${plainLines(String(content)).replaceAll('\n', '\n  ')}`
          })
          .join('\n'),
    }
  },
}

const ingest: Command<App> = {
  name: 'chat ingest',
  summary: 'take in events from a file; each is checked before it counts',
  examples: ['chat ingest events.ndjson', 'chat ingest events.ndjson --plain'],
  notes:
    'One event a line, or a JSON list. Exit 10: some were quarantined, such as a line that was cut; chat quarantine says why. Nothing is taken in of a file in which nothing can be read.',
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: true, summary: 'the events; - is stdin' }],
  flags: [{ name: 'plain', field: 'plain', type: 'boolean', summary: 'also believe events that nobody has signed' }],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const events = eventsIn(readText(context, needed(input, 'file')))
    const session = await context.session('write')
    const total = { given: events.length, received: 0, held: 0, quarantined: [] as Row[] }
    await inParts(events, AT_A_TIME, async (part, at) => {
      const options = optionsOf(context, part.length === events.length ? undefined : { at, count: part.length })
      const group = { events: part, origin: 'file', plain: isOn(input, 'plain') }
      const came = membersOf(accepted(await session.run('chat.ingest', group, options)).value)
      total.received += Number(came['received'])
      total.held += Number(came['held'])
      total.quarantined.push(...rowsAt(came['quarantined']))
    })
    const { given, received, held, quarantined } = total
    const known = given - received - held - quarantined.length
    return {
      data: { ...total, known, seq: session.seq },
      ...(quarantined.length > 0 ? { exit: 10 } : {}),
      text: () =>
        [
          `${count(received, 'event')} received, ${known} known or of no account, ${held} too early, ${quarantined.length} quarantined`,
          ...quarantined.map(({ id, reason }) => `  ${plain(String(id)).slice(0, 16)}  ${String(reason)}`),
        ].join('\n'),
    }
  },
}

/** A key is that of one part, or the others would get its answer; where the session stood is asked of the first. */
function optionsOf(
  { options }: Context,
  part: { readonly at: number; readonly count: number } | undefined,
): RunOptions {
  if (part === undefined) return options
  const { key, ifSeq } = options
  return {
    ...options,
    ifSeq: part.at === 0 ? ifSeq : undefined,
    key: key === undefined ? key : `${key} ${part.at}+${part.count}`,
  }
}

/** A line that is no JSON, such as one that was cut, is handed on as text: it is put aside like all that is no event. */
function eventsIn(given: string): readonly unknown[] {
  const isList = given.trimStart().startsWith('[')
  const texts = isList ? [given] : given.split('\n').filter((line) => line.trim() !== '')
  const values = texts.map((text) => valueOf(text.trim()))
  const [first] = values
  if (first?.broken === undefined || values.some(({ broken }) => broken === undefined))
    return values.flatMap(({ value }) => value)
  throw new EngineError('JSON_INVALID', `the events are no JSON: ${first.broken}`, {
    hint: 'one event a line, as chat export prints them',
  })
}

function valueOf(text: string): { readonly value: unknown; readonly broken?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { value: text, broken: asError(error).message }
  }
}

const exportAll: Command<App> = {
  name: 'chat export',
  summary: 'print the events of a conversation, one a line',
  examples: ['chat export login > login.ndjson', 'chat export login --signed'],
  parameters: [CONVERSATION],
  flags: [{ name: 'signed', field: 'signed', type: 'boolean', summary: 'only those that are signed' }],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const wanted = { conversation: needed(input, 'conversation'), signed: isOn(input, 'signed') }
    const { value } = accepted(await session.run('chat.export', wanted))
    return {
      data: value,
      text: () =>
        rowsAt(value)
          .map((event) => JSON.stringify(event))
          .join('\n'),
    }
  },
}

const key: Command<App> = {
  name: 'chat key',
  summary: 'make a key to sign messages with, in a file that only you can read',
  examples: ['chat key ~/.config/steadfold.key'],
  notes: 'It signs when STEADFOLD_NOSTR_KEY names the file. The key itself is in no log and on no command line.',
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: true, summary: 'must not be there yet' }],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const file = needed(input, 'file')
    const pubkey = await context.app.nostr.makeKey(file)
    // It holds in every folder that the shell goes to.
    const whole = path.resolve(context.cwd, file)
    return { data: { file, pubkey }, text: `${pubkey}\nexport STEADFOLD_NOSTR_KEY=${quoted(whole)}` }
  },
}

export const chatCommands: readonly Command<App>[] = [show, read, ingest, exportAll, key, chatSync]

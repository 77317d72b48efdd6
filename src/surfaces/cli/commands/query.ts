/** Asking and changing the state in more than one place. */
import { EngineError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { parseJsonText } from '../../../kernel/json/text.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { formatPath } from '../../../kernel/path/path.ts'
import { written } from '../answer/answer.ts'
import { isOn, listOf, needed, textOf, usage } from '../context/input.ts'
import { brief, count, padEnd, plain, widthOf } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { jsonIn, readText, toValue } from '../syntax/value.ts'
import { show } from './state.ts'

const QUERY = {
  name: 'JSONPATH',
  field: 'query',
  type: 'text',
  required: true,
  summary: 'RFC 9535, in quotes: $..topic',
} as const

const query: Command = {
  name: 'state query',
  summary: 'the values a JSONPath finds, one JSON value a line',
  examples: [
    "state query '$..topic'",
    'state query \'$.steps.ledger[?@.status=="failed"].name\'',
    "state query '$.data.*' --paths --at draft-done",
  ],
  parameters: [QUERY],
  flags: [
    { name: 'paths', field: 'paths', type: 'boolean', summary: 'also where each was found' },
    { name: 'raw', field: 'raw', type: 'boolean', summary: 'strings without their quotes' },
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read')
    const nodes = await session.nodes(needed(input, 'query'), { at })
    const found = nodes.map(({ path, value }) => ({ path: formatPath(path), value }))
    const width = Math.min(40, Math.max(0, ...found.map(({ path }) => widthOf(path))))
    const text = (value: unknown) =>
      isOn(input, 'raw') && typeof value === 'string' ? plain(value) : JSON.stringify(value)
    const line = ({ path, value }: (typeof found)[number]) =>
      isOn(input, 'paths') ? `${padEnd(plain(path), width)}  ${text(value)}` : text(value)
    return {
      data: isOn(input, 'paths') ? found : found.map(({ value }) => value),
      text: () => found.map(line).join('\n'),
    }
  },
}

const bulk: Command = {
  name: 'state bulk',
  summary: 'what is at many paths, all at the same commit',
  examples: [
    'state bulk data.topic workflow.current',
    "state bulk \"execution.tasks['task-1'].status\" '$.execution.tasks.*.title' --json",
    'state bulk observability.health persistence.checkpoint --at draft-done',
  ],
  notes: 'A JSONPath among them gives the list of what it finds. Where nothing is, nothing is printed.',
  parameters: [
    { name: 'PATH', field: 'paths', type: 'text', required: true, rest: true, summary: 'a place, or a JSONPath' },
  ],
  flags: [],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const paths = listOf(input, 'paths')
    const { session, at } = await context.sessionAt('read')
    const seq = at === undefined ? session.seq : await session.resolve(at)
    const found = Object.entries(await session.bulk(paths, { at: seq }))
    const values = Object.fromEntries(found.filter(([, value]) => value !== undefined))
    const missing = found.flatMap(([path, value]) => (value === undefined ? [path] : []))
    return { data: { values, missing, seq }, text: () => show(context, values, false) }
  },
}

const test: Command = {
  name: 'state test',
  summary: 'exit 0 when a JSONPath finds something, or only this value; else 4',
  examples: [
    'state test data.topic',
    'state test data.topic --equals auth',
    "state test '$.data.items[?@.done==false]' --not",
  ],
  parameters: [QUERY],
  flags: [
    { name: 'equals', field: 'equals', type: 'value', value: 'VALUE', summary: 'everything found must be this' },
    { name: 'not', field: 'not', type: 'boolean', summary: 'the other way round' },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const equals = textOf(input, 'equals')
    const session = await context.session('read')
    const given = needed(input, 'query')
    const asked = {
      query: given.startsWith('$') ? given : `$.${given}`,
      not: isOn(input, 'not'),
      ...(equals === undefined ? {} : { equals: toValue(equals, false) }),
    }
    const { value, seq } = accepted(await session.run('state.test', asked))
    return { data: { holds: true, ...membersOf(value), seq }, text: '' }
  },
}

const patch: Command = {
  name: 'state patch',
  summary: 'change many places at once: RFC 6902, whole or not at all',
  examples: [
    `state patch '[{"op":"add","path":"/data/items/-","value":1}]'`,
    'state patch --file change.json --if-seq 12',
    'state patch change.json --dry-run',
  ],
  notes: 'Paths begin with /data/. A "test" may look anywhere, and refuses the whole patch when it fails.',
  parameters: [
    {
      name: 'PATCH',
      field: 'patch',
      type: 'text',
      required: false,
      summary: 'a list of operations as JSON, or the file it is in; - is stdin',
    },
  ],
  flags: [
    {
      name: 'file',
      short: 'f',
      field: 'file',
      type: 'text',
      value: 'FILE',
      summary: 'read the patch from a file; - is stdin',
    },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const word = textOf(input, 'patch')
    const file = textOf(input, 'file')
    if ((word === undefined) === (file === undefined))
      throw usage(
        word === undefined ? 'PATCH is missing' : 'PATCH and --file are two patches',
        'steadfold state patch --help',
      )
    const value =
      word !== undefined && /^\s*[[{]/.test(word)
        ? parseJsonText(word)
        : jsonIn(readText(context, file ?? word ?? '-'), file ?? word ?? '-')
    if (!Array.isArray(value))
      throw new EngineError('PATCH_INVALID', 'a patch is a list of operations, also where it is one alone', {
        hint: 'put it in brackets: [{"op":"add","path":"/data/topic","value":"auth"}]',
      })
    const session = await context.session('write')
    return written(context, await session.run('state.patch', { patch: value }, options), ([event]) => {
      const { changes } = membersOf(event?.data)
      return Array.isArray(changes)
        ? `${count(changes.length, 'change')}: ${brief(
            changes.map((change) => membersOf(change)['path']),
            200,
          )}`
        : ''
    })
  },
}

export const queryCommands: readonly Command[] = [query, bulk, test, patch]

/** Free JSON below $.data, and reading all of the state. */
import type { EngineError } from '../../../kernel/error.ts'
import type { Event } from '../../../kernel/log/commit.ts'
import { nothingAt } from '../../../kernel/path/nothing-at.ts'
import { formatPath, parsePath } from '../../../kernel/path/path.ts'
import { written } from '../answer/answer.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed, textOf, type Input } from '../context/input.ts'
import { quoted } from '../context/scope.ts'
import { brief, plainLines } from '../show/text.ts'
import type { Command, Parameter } from '../syntax/command.ts'
import { givenValue, toValue, VALUE_FLAGS } from '../syntax/value.ts'

const PATH: Parameter = {
  name: 'PATH',
  field: 'path',
  type: 'text',
  required: true,
  summary: "place in the state: $.data.topic, data['a-b'][0]",
}

const get: Command = {
  name: 'state get',
  summary: 'print the value at a path, or the whole document',
  examples: [
    'state get',
    'state get data.topic',
    'state get workflow --at draft-done',
    "state get '$.data.items[0]' --session build@17 --json",
  ],
  parameters: [{ ...PATH, required: false }],
  flags: [
    {
      name: 'default',
      field: 'default',
      type: 'value',
      value: 'VALUE',
      summary: 'print this when there is nothing, instead of exit 3',
    },
    {
      name: 'raw',
      field: 'raw',
      type: 'boolean',
      summary: 'JSON as it is stored, on one line; strings keep their quotes',
    },
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const path = textOf(input, 'path') ?? '$'
    const keys = parsePath(path)
    const { session, at } = await context.sessionAt('read')
    const found = (await session.bulk([path], { at }))[path]
    const value = found === undefined ? fallback(input) : found
    if (value === undefined) throw nothingIn(await session.get('$', { at }), path, at)
    const seq = at === undefined ? session.seq : await session.resolve(at)
    return { data: { path: formatPath(keys), value, seq }, text: () => show(context, value, isOn(input, 'raw')) }
  },
}

const set: Command = {
  name: 'state set',
  summary: 'set the value at a path below $.data',
  examples: [
    'state set data.topic auth',
    `state set data.limits '{"tokens": 200000}' --if-seq 12`,
    'state set data.report --file report.md --string',
    'date | state set data.now -',
  ],
  notes:
    'A value is JSON if it parses exactly, else a string, kept byte for byte. A number that JSON would change is refused.',
  parameters: [
    PATH,
    { name: 'VALUE', field: 'value', type: 'value', required: false, summary: 'the value; - is stdin' },
  ],
  flags: VALUE_FLAGS,
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const value = givenValue(context, set, input)
    const session = await context.session('write')
    return written(context, await session.run('state.set', { path: needed(input, 'path'), value }, options), sayData)
  },
}

const remove: Command = {
  name: 'state delete',
  summary: 'delete what is at a path below $.data',
  examples: ['state delete data.topic', 'state delete data.topic --dry-run'],
  parameters: [PATH],
  flags: [],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const session = await context.session('remove')
    return written(context, await session.run('state.delete', { path: needed(input, 'path') }, options), sayData)
  },
}

export const stateCommands: readonly Command[] = [get, set, remove]

function fallback(input: Input): unknown {
  const text = textOf(input, 'default')
  return text === undefined ? undefined : toValue(text, false)
}

/** A string as it is, so that a shell can use it; on a terminal nothing in it steers. */
export function show({ io }: Pick<Context, 'io'>, value: unknown, raw: boolean): string {
  if (raw) return JSON.stringify(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return io.isTerminal('out') ? plainLines(text) : text
}

export const nothingIn = (root: unknown, path: string, at: string | undefined): EngineError =>
  nothingAt(root, path, (deepest) =>
    [
      'steadfold state get',
      ...(deepest === '$' ? [] : [quoted(deepest)]),
      ...(at === undefined ? [] : [`--at ${quoted(at)}`]),
    ].join(' '),
  )

function sayData(events: readonly Event[]): string {
  return events.map(sayChange).join(', ')
}

function sayChange({ type, data }: Event): string {
  // Events of this module hold a path, and a value when they set one.
  const { path, value } = data as { readonly path?: string; readonly value?: unknown }
  if (path === undefined) return `${type} ${brief(data)}`
  return type === 'data.deleted' ? `deleted ${path}` : `${path} = ${brief(value)}`
}

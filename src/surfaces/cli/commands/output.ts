/** Named values passed between shells and steps. */
import { EngineError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { written } from '../answer/answer.ts'
import { needed, textOf } from '../context/input.ts'
import { fit } from '../show/fit.ts'
import { plain, plainLines } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'
import { givenText, readText, VALUE_FLAGS } from '../syntax/value.ts'

const NAME = {
  name: 'NAME',
  field: 'name',
  type: 'text',
  required: true,
  summary: 'A-Z a-z 0-9 _ . - ; begins with a letter or _',
} as const

const set: Command = {
  name: 'output set',
  summary: 'set a named value',
  examples: ['output set plan.title "Sign in"', 'output set report --file report.md', 'date | output set now -'],
  notes: 'A value is text and is kept byte for byte; - is stdin.',
  parameters: [
    NAME,
    { name: 'VALUE', field: 'value', type: 'value', required: false, summary: 'the text; - is stdin' },
  ],
  flags: VALUE_FLAGS.filter(({ name }) => name === 'file'),
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const value = givenText(context, set, input)
    const session = await context.session('write')
    return written(context, await session.run('output.set', { name: needed(input, 'name'), value }, options), () =>
      needed(input, 'name'),
    )
  },
}

const get: Command = {
  name: 'output get',
  summary: 'print a named value, byte for byte',
  examples: ['output get plan.title', 'output get plan.title --at 17 --json'],
  parameters: [NAME],
  flags: [
    {
      name: 'default',
      field: 'default',
      type: 'text',
      value: 'TEXT',
      summary: 'print this when there is no such output, instead of exit 3',
    },
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read')
    const name = needed(input, 'name')
    const values = membersOf(at === undefined ? session.get('$.outputs') : await session.get('$.outputs', { at }))
    const value = (Object.hasOwn(values, name) ? textAt(values[name]) : null) ?? textOf(input, 'default')
    if (value === undefined)
      throw new EngineError('OUTPUT_NOT_FOUND', `there is no output named "${name}"`, { hint: 'steadfold output list' })
    return { data: { name, value }, text: () => (context.io.isTerminal('out') ? plainLines(value) : value) }
  },
}

export const hotOutputCommands: readonly Command[] = [set, get]

const list: Command = {
  name: 'output list',
  summary: 'all named values, sorted by name',
  examples: ['output list', 'output list --prefix plan. --json'],
  parameters: [],
  flags: [{ name: 'prefix', field: 'prefix', type: 'text', value: 'TEXT', summary: 'only names that begin so' }],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read')
    const values = membersOf(at === undefined ? session.get('$.outputs') : await session.get('$.outputs', { at }))
    const names = Object.keys(values)
      .filter((name) => name.startsWith(textOf(input, 'prefix') ?? ''))
      .toSorted()
    const data = names.map((name) => ({ name, value: values[name] }))
    return {
      data,
      text: () =>
        fit(
          data.map(({ name, value }) => [name, plain(String(value))]),
          [{ name: 'name' }, { name: 'value', least: 12 }],
          context.io.width,
        ).lines.join('\n'),
    }
  },
}

const importAll: Command = {
  name: 'output import',
  summary: 'set many values from text in the grammar of $GITHUB_OUTPUT',
  examples: ['output import results.txt', './worker.sh | output import -', 'output import results.txt --prefix plan.'],
  notes: 'Lines of name=value, or name<<END, lines, END. It is taken whole or refused whole.',
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: true, summary: 'the text; - is stdin' }],
  flags: [{ name: 'prefix', field: 'prefix', type: 'text', value: 'TEXT', summary: 'put before every name' }],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const text = readText(context, needed(input, 'file'))
    const session = await context.session('write')
    return written(
      context,
      await session.run('output.import', { text, prefix: textOf(input, 'prefix') }, options),
      (events) => events.map(({ data }) => Object.keys(membersOf(membersOf(data)['values'])).join(', ')).join(', '),
    )
  },
}

const exportAll: Command = {
  name: 'output export',
  summary: 'the values as text for a shell or a file',
  examples: ['output export', 'output export --format dotenv > .env', 'output export --format github --prefix plan.'],
  notes: 'Names that would change how programs run are left out, and named on stderr.',
  parameters: [],
  flags: [
    {
      name: 'format',
      field: 'format',
      type: 'text',
      value: 'FORMAT',
      choices: ['sh', 'dotenv', 'github', 'json'],
      summary: 'sh when left out',
    },
    { name: 'prefix', field: 'prefix', type: 'text', value: 'TEXT', summary: 'only names that begin so' },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const { value } = accepted(
      await session.run('output.export', { format: textOf(input, 'format'), prefix: textOf(input, 'prefix') }),
    )
    const { text, skipped } = membersOf(value)
    for (const each of Array.isArray(skipped) ? skipped : [])
      context.note(`note: ${String(membersOf(each)['name'])} is left out: ${String(membersOf(each)['reason'])}`)
    return { data: value, text: String(text).replace(/\n$/, '') }
  },
}

export const outputCommands: readonly Command[] = [...hotOutputCommands, list, importAll, exportAll]

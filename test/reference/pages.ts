/*
 * docs/reference/: a page a noun, made from the table of commands and the operations behind them.
 */
import { toJSONSchema } from 'zod/v4/core'
import { operations } from '../../src/compose/operations.ts'
import { ERROR_CODES, exitStatus } from '../../src/kernel/error.ts'
import type { Operation } from '../../src/kernel/operation/operation.ts'
import type { App } from '../../src/surfaces/cli/context/app.ts'
import type { Command, Flag, Parameter } from '../../src/surfaces/cli/syntax/command.ts'
import { flagsOf } from '../../src/surfaces/cli/syntax/flags.ts'
import { usageOf, withProgram } from '../../src/surfaces/cli/syntax/help.ts'
import { makeTable } from '../../src/surfaces/cli/table/commands.ts'
import { bounds, type Schema } from './bounds.ts'
import { ALONE, codesOf, EXIT_MEANINGS } from './codes.ts'

const MADE =
  '<!-- Made from the program by test/reference: GOLDEN=write npx vitest run --project product test/reference -->'

/** File name -> text. */
export async function pages(): Promise<ReadonlyMap<string, string>> {
  // The table is only listed; nothing that a command would run is asked for.
  const table = makeTable({ operations } as unknown as App)
  const commands = (await table.all()).filter(({ hidden }) => hidden !== true)
  const byName = new Map((await operations.all()).map((operation) => [operation.name.replace('.', ' '), operation]))
  const nouns = new Map<string, Command<App>[]>()
  for (const command of commands) {
    const noun = command.name.includes(' ') ? (command.name.split(' ')[0] ?? '') : ALONE
    nouns.set(noun, [...(nouns.get(noun) ?? []), command])
  }
  const made = [...nouns].map(([noun, own]) => [`${noun}.md`, pageOf(noun, own, byName)] as const)
  return new Map([['README.md', indexOf(nouns)], ...made])
}

function indexOf(nouns: ReadonlyMap<string, readonly Command<App>[]>): string {
  const rows = [...nouns]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([noun, commands]) => [
      `[${noun}](${noun}.md)`,
      commands.map(({ name }) => (noun === ALONE ? name : name.slice(noun.length + 1))).join(', '),
    ])
  const exits = EXIT_MEANINGS.map(([status, meaning]) => [String(status), meaning])
  return [
    MADE,
    '# Reference',
    '',
    'Every command with its words, flags, bounds and exit codes. `steadfold COMMAND --help` says the same; `steadfold schema NAME` has the JSON Schema of what an operation takes.',
    '',
    ...grid(['page', 'commands'], rows),
    '',
    '[The library](library.md), [HTTP](http.md), for programs, [MCP](mcp.md), for agents, and [settings](settings.md) have pages of their own.',
    '',
    '## Exit codes',
    '',
    ...grid(['code', 'meaning'], exits),
    '',
  ].join('\n')
}

function pageOf(noun: string, commands: readonly Command<App>[], byName: ReadonlyMap<string, Operation>): string {
  const parts = commands.flatMap((command) => ['', ...sectionOf(command, byName.get(command.name))])
  return [
    MADE,
    `# ${noun === ALONE ? 'Commands of one word' : `steadfold ${noun}`}`,
    ...parts,
    '',
    ...exitsOf(noun),
    '',
  ].join('\n')
}

function sectionOf(command: Command<App>, operation: Operation | undefined): readonly string[] {
  const schema =
    operation === undefined ? {} : (toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Schema)
  const own = flagsOf({ flags: command.flags, shares: [] }).slice(0, command.flags.length)
  const shared = flagsOf(command).filter((flag) => !own.includes(flag))
  const rows = [
    ...command.parameters.map((each) => [`\`${each.name}\``, typeOf(each, schema), textOf(each.summary)]),
    ...own.map((each) => [`\`${flagText(each)}\``, typeOf(each, schema), textOf(each.summary)]),
  ]
  return [
    `## ${command.name}`,
    '',
    '```',
    `steadfold ${usageOf(command)}${own.length > 0 ? ' [flags]' : ''}`,
    '```',
    '',
    `${upperFirst(textOf(command.summary))}.${command.notes === undefined ? '' : ` ${textOf(command.notes)}`}`,
    ...(rows.length === 0 ? [] : ['', ...grid(['input', 'type', ''], rows)]),
    '',
    `Also: ${shared.map((flag) => `\`${flagText(flag)}\``).join(', ')}.`,
    '',
    '```sh',
    ...command.examples.map(withProgram),
    '```',
  ]
}

function exitsOf(noun: string): readonly string[] {
  const byStatus = new Map<number, string[]>()
  for (const code of codesOf(noun).filter((each) => ERROR_CODES.includes(each)))
    byStatus.set(exitStatus(code), [...(byStatus.get(exitStatus(code)) ?? []), code])
  const rows = EXIT_MEANINGS.filter(([status]) => status === 0 || byStatus.has(status)).map(([status, meaning]) => [
    String(status),
    meaning,
    (byStatus.get(status) ?? []).map((code) => `[${code}](../errors.md#${code.toLowerCase()})`).join(', '),
  ])
  return ['## Exit codes', '', ...grid(['code', 'meaning', 'error codes'], rows)]
}

const flagText = ({ name, short, type, value }: Flag): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${type === 'boolean' ? '' : ` ${value ?? 'VALUE'}`}`

function typeOf(each: Parameter | Flag, schema: Schema): string {
  const told = schema.properties?.[each.field]
  const many = 'repeat' in each || 'rest' in each ? 'several: ' : ''
  if (told !== undefined) return textOf(bounds(told))
  if (each.choices !== undefined) return textOf(many + each.choices.map((choice) => `\`${choice}\``).join(', '))
  return (
    many +
    {
      text: 'text',
      number: 'number',
      boolean: 'on or off',
      value: 'JSON or text',
      duration: 'time: 500ms, 60s, 5m, 2h',
      milliseconds: 'milliseconds, or a time: 500ms, 60s, 5m, 2h',
    }[each.type]
  )
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A cell stays a cell. */
const textOf = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')

const grid = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)

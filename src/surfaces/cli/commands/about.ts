/** The program about itself: help, version, schemas. */
import { toJSONSchema } from 'zod/v4/core'
import { EngineError } from '../../../kernel/error.ts'
import type { Operation } from '../../../kernel/operation/operation.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { listOf, textOf, usage } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { columns } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { flagsOf } from '../syntax/flags.ts'
import { commandHelp, nounHelp, overview, usageOf } from '../syntax/help.ts'

/** The commands that need to know all others; `all` is asked when they run. */
export function aboutCommands(all: () => Promise<readonly Command<App>[]>): readonly Command<App>[] {
  return [
    { ...help, run: async (context, input) => helpFor(context, await all(), listOf(input, 'words')) },
    version,
    schema,
  ]
}

const help: Omit<Command<App>, 'run'> = {
  name: 'help',
  summary: 'what there is, or one command in full',
  examples: ['help', 'help session', 'help state set', 'state set --help'],
  parameters: [{ name: 'COMMAND', field: 'words', type: 'text', required: false, rest: true, summary: 'its words' }],
  flags: [],
  shares: [],
}

function helpFor(context: Context<App>, commands: readonly Command<App>[], words: readonly string[]): Result {
  const { io, paint } = context
  const look = { paint, width: io.isTerminal('out') ? Math.min(io.width, 110) : 80 }
  const [first = '', second = ''] = words
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  if (command !== undefined) return { data: commandData(command), text: () => commandHelp(command, look) }
  const nouns = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (first === '')
    return {
      data: commands.filter(({ hidden }) => hidden !== true).map(commandData),
      text: () => overview(commands, look),
    }
  if (nouns.length > 0 && second === '')
    return { data: nouns.map(commandData), text: () => nounHelp(first, commands, look) }
  throw usage(
    `there is no command "${words.join(' ')}"`,
    nouns.length > 0 ? `steadfold ${first} --help` : 'steadfold --help',
  )
}

function commandData(command: Command<App>) {
  const { name, summary, examples, parameters } = command
  const flags = flagsOf(command).map(({ name: flag, short, type, summary: said, choices, repeat }) => ({
    name: flag,
    short: short ?? null,
    type,
    summary: said,
    choices: choices ?? null,
    repeat: repeat === true,
  }))
  return {
    name,
    summary,
    usage: `steadfold ${usageOf(command)}`,
    examples: examples.map((line) => `steadfold ${line}`),
    parameters,
    flags,
  }
}

const version: Command<App> = {
  name: 'version',
  summary: 'the version of this program',
  examples: ['version', '--version', 'version --json'],
  parameters: [],
  flags: [],
  shares: [],
  run: async ({ app }) => ({
    data: { version: app.version, node: process.versions.node, platform: `${process.platform}-${process.arch}` },
    text: app.version,
  }),
}

const schema: Command<App> = {
  name: 'schema',
  summary: 'the operations, or the schema of one, of a file or of HTTP',
  examples: ['schema', 'schema state.set', 'schema openapi', 'schema workflow', 'schema session-state'],
  parameters: [
    {
      name: 'OPERATION',
      field: 'operation',
      type: 'text',
      required: false,
      summary: 'noun.verb, or workflow, session-state, craft-session, openapi',
    },
  ],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const name = textOf(input, 'operation')?.replace(' ', '.')
    const operations = await context.app.operations.all()
    if (name === undefined)
      return {
        data: operations.map(operationData),
        text: () =>
          columns(
            operations.map(({ name: each, kind, summary }) => [each, kind, summary]),
            { width: context.io.width },
          ).join('\n'),
      }
    const { schemas } = context.app
    const ofFile = Object.hasOwn(schemas, name) ? await schemas[name]?.() : undefined
    if (ofFile !== undefined) return { data: ofFile, text: () => JSON.stringify(ofFile, null, 2) }
    const operation = operations.find((each) => each.name === name)
    if (operation === undefined)
      throw new EngineError('OPERATION_UNKNOWN', `there is no operation "${name}"`, {
        hint: 'steadfold schema lists them',
      })
    const data = operationData(operation)
    return { data, text: () => JSON.stringify(data.input, null, 2) }
  },
}

function operationData({ name, kind, summary, input, positional }: Operation) {
  const schemaOf = toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return { name, kind, summary, positional, input: { ...schemaOf, title: name, description: summary } }
}

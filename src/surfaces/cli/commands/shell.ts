/** The shell library, and what its functions ask for that no other command answers in one go. */
import { parseJsonText } from '../../../kernel/json/text.ts'
import { byAnyName } from '../../../kernel/names.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { formatPath, getAt } from '../../../kernel/path/path.ts'
import type { Session } from '../../../kernel/session.ts'
import { written } from '../answer/answer.ts'
import type { ShellApp, ShellView } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, textOf, usage, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import type { Command } from '../syntax/command.ts'
import { readText } from '../syntax/value.ts'
import { defineFor } from './shell-table.ts'

const WAYS = ['print', 'view', 'start', 'save'] as const

const shell: Command<ShellApp> = {
  name: 'shell',
  summary: 'print the path of the library for bash and sh, to be sourced',
  examples: ['shell', 'shell --print > steadfold.sh', 'shell --view --session build-auth'],
  notes: '. "$(steadfold shell)" gives a script steadfold_set, steadfold_get and the functions of workflow scripts.',
  parameters: [],
  flags: [
    { name: 'print', field: 'print', type: 'boolean', summary: 'the text of the library instead of its path' },
    {
      name: 'view',
      field: 'view',
      type: 'boolean',
      summary: 'state and outputs of a session, as the library reads them',
    },
    {
      name: 'start',
      field: 'start',
      type: 'text',
      value: 'TEXT',
      summary: 'start the workflow in the scope that this description asks for; then as --view',
    },
    { name: 'scope', field: 'scope', type: 'text', value: 'SCOPE', summary: 'with --start: the scope itself' },
    {
      name: 'table',
      field: 'table',
      type: 'text',
      value: 'TEXT',
      summary: 'with --start: a workflow of its own, a line for each state: NAME=NEXT,NEXT',
    },
    {
      name: 'save',
      field: 'save',
      type: 'text',
      value: 'NAME',
      summary: 'keep the JSON on stdin below $.data.checkpoints',
    },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    if (WAYS.filter((way) => input[way] !== undefined && input[way] !== false).length > 1) {
      throw usage('--print, --view, --start and --save are four things', 'give one of them')
    }
    if (textOf(input, 'start') !== undefined || isOn(input, 'view')) return view(context, input)
    if (textOf(input, 'save') !== undefined) return save(context, textOf(input, 'save') ?? '')
    const { path, text } = context.app.shell
    return isOn(input, 'print')
      ? { data: { text: text() }, text: () => text().replace(/\n$/, '') }
      : { data: { path }, text: path }
  },
}

export const shellCommands: readonly Command<ShellApp>[] = [shell]

async function view(context: Context<ShellApp>, input: Input): Promise<Result> {
  const description = textOf(input, 'start')
  const session = await meantBy(context, description === undefined ? 'read' : 'write')
  if (description !== undefined) await start(context, session, input)
  const data = viewOf(session)
  return { data, text: () => context.app.shell.view(data).replace(/\n$/, '') }
}

/** Of a script that still says the name which its session had, that one: its values arrive there, too. */
const meantBy = (context: Context<ShellApp>, use: 'read' | 'write'): Promise<Session> =>
  byAnyName((id) => context.session(use, id))

/** A workflow that is under way goes on; a finished one begins again. */
async function start({ options }: Context<ShellApp>, session: Session, input: Input): Promise<void> {
  const scope = textOf(input, 'scope') ?? (await detected(session, textOf(input, 'start') ?? ''))
  await defineFor(session, { scope, table: textOf(input, 'table') }, options)
  const { value } = accepted(await session.run('workflow.show'))
  // What workflow.show answers has this member.
  const { finished } = value as { readonly finished: boolean }
  if (finished) accepted(await session.run('workflow.restart', {}, options))
}

async function detected(session: Session, description: string): Promise<string> {
  const { value } = accepted(await session.run('workflow.detect-scope', { description }))
  return String(value)
}

/** Strictly JSON: a value that does not parse is refused, never kept as text. */
async function save(context: Context<ShellApp>, name: string): Promise<Result> {
  const value = parseJsonText(readText(context, '-'))
  const session = await meantBy(context, 'write')
  const path = formatPath(['data', 'checkpoints', name])
  return written(context, await session.run('state.set', { path, value }, context.options))
}

function viewOf(session: Session): ShellView {
  const word = (member: string): string | undefined => {
    const value = getAt(session.stored, ['workflow', ...member.split('.')])
    return typeof value === 'string' ? value : undefined
  }
  // Outputs are texts by name.
  const outputs = (session.get('$.outputs') ?? {}) as Readonly<Record<string, string>>
  return {
    session: session.id,
    current: word('current'),
    terminal: word('terminal'),
    scope: word('scope'),
    end: word('definition.terminal'),
    outputs: Object.entries(outputs).map(([name, value]) => ({ name, value })),
  }
}

/** Declared states and where the work stands in them. Transitions are made from their operation. */
import * as path from 'node:path'
import { parseInput } from '../../../kernel/input.ts'
import { accepted, written } from '../answer.ts'
import type { App } from '../app.ts'
import type { Command, Input } from '../command.ts'
import type { Context } from '../context.ts'
import { isOn, needed, textOf } from '../input.ts'
import { refused } from '../perform.ts'
import { columns, count, plain } from '../text.ts'
import { members, textAt } from '../view.ts'

const SCOPES = ['research-only', 'research-and-plan', 'full-implementation', 'debug-only']

const transition: Command = {
  name: 'workflow transition',
  summary: 'go to another state that is allowed next',
  examples: ['workflow transition implement', 'workflow transition test --begin', 'workflow transition --resume'],
  notes: 'Intent and outcome are two facts: --begin tells the first, --resume or --abandon the second.',
  parameters: [{ name: 'STATE', field: 'to', type: 'text', required: false, summary: 'whole name of the state' }],
  flags: [
    { name: 'begin', field: 'begin', type: 'boolean', summary: 'tell the intent only' },
    { name: 'resume', field: 'resume', type: 'boolean', summary: 'finish the intent that was told' },
    { name: 'abandon', field: 'abandon', type: 'boolean', summary: 'take the intent back' },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const session = await context.session('write')
    const asked = {
      to: textOf(input, 'to'),
      begin: isOn(input, 'begin'),
      resume: isOn(input, 'resume'),
      abandon: isOn(input, 'abandon'),
    }
    return written(context, await session.run('workflow.transition', asked, options), (events) => {
      const last = members(events.at(-1)?.data)
      return `${textAt(last['from']) ?? ''} → ${textAt(last['to']) ?? ''}`
    })
  },
}

const next: Command = {
  name: 'workflow next',
  summary: 'the states that may come next, one a line',
  examples: ['workflow next', 'workflow next --json'],
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const value = members(await readAt(context, 'workflow.next', {}))
    const allowed = Array.isArray(value['allowed']) ? value['allowed'].map(String) : []
    return { data: value, text: allowed.join('\n') }
  },
}

const show: Command = {
  name: 'workflow show',
  summary: 'the workflow of a session and where it stands',
  examples: ['workflow show', 'workflow show --session build@draft-done --json'],
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const data = members(await readAt(context, 'workflow.show', {}))
    return { data, text: () => showText(context, data) }
  },
}

export const hotWorkflowCommands: readonly Command[] = [transition, next, show]

/** A read operation now, or on the state as it was. */
export async function readAt(context: Context, name: string, input: unknown): Promise<unknown> {
  const { session, at } = await context.sessionAt('read')
  if (at === undefined) return accepted(await session.run(name, input)).value
  const operation = await context.app.operations.get(name)
  if (operation === undefined) return undefined
  const parsed = parseInput(operation, input)
  if (!parsed.ok) throw refused(parsed.refusal)
  return operation.read(await session.stateAt(at), parsed.input, { now: Date.now() })
}

function showText({ paint, io }: Context, data: Readonly<Record<string, unknown>>): string {
  const list = (field: string) => (Array.isArray(data[field]) ? data[field].map(String) : [])
  const current = textAt(data['current']) ?? ''
  const completed = new Set(list('completed'))
  const states = list('states').map((state) =>
    state === current
      ? paint.bold(paint.cyan(`[${state}]`))
      : completed.has(state)
        ? paint.green(state)
        : paint.dim(state),
  )
  const intent = members(data['intent'])
  const rows = [
    ['current', current],
    ['next', list('allowed').join(', ') || (data['finished'] === true ? 'finished' : '')],
    ['intent', textAt(intent['to']) === null ? '' : `${textAt(intent['to']) ?? ''}, begun and not finished`],
    ['scope', textAt(data['scope']) ?? ''],
    ['done', list('completed').join(', ')],
  ].filter(([, text]) => text !== '')
  const head = `${paint.bold(plain(textAt(data['name']) ?? ''))}  ${plain(textAt(data['goal']) ?? '')}`.trimEnd()
  return [head, states.join(paint.dim(' → ')), ...columns(rows, { width: io.width, indent: '  ' })].join('\n')
}

const define: Command<App> = {
  name: 'workflow define',
  summary: 'give a session the workflow of a file; the default one when left out',
  examples: ['workflow define review.workflow.yaml', 'workflow define --scope research-only'],
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: false, summary: 'a workflow in YAML' }],
  flags: [
    {
      name: 'scope',
      field: 'scope',
      type: 'text',
      value: 'SCOPE',
      choices: SCOPES,
      summary: 'how far the default workflow goes',
    },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const definition = await definitionOf(context, input)
    const session = await context.session('write')
    const answer = await session.run('workflow.define', { definition, scope: textOf(input, 'scope') }, options)
    return written(
      context,
      answer,
      ([event]) => `workflow ${textAt(members(members(event?.data)['definition'])['name']) ?? ''}`,
    )
  },
}

function definitionOf(context: Context<App>, input: Input): Promise<unknown> | undefined {
  const file = textOf(input, 'file')
  return file === undefined ? undefined : context.app.loadWorkflow(path.resolve(context.cwd, file))
}

const validate: Command<App> = {
  name: 'workflow validate',
  summary: 'what is wrong with a workflow file; exit 4 when something is',
  examples: ['workflow validate review.workflow.yaml', 'workflow validate review.workflow.yaml --json'],
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: true, summary: 'a workflow in YAML' }],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const file = path.resolve(context.cwd, needed(input, 'file'))
    const definition = await context.app.loadWorkflow(file)
    const states = Object.entries(members(members(definition)['states']))
    const steps = states.reduce((sum, [, state]) => sum + Object.keys(members(members(state)['steps'])).length, 0)
    return {
      data: { file, valid: true, states: states.length, steps, definition },
      text: `${needed(input, 'file')}: ${count(states.length, 'state')}, ${count(steps, 'step')}, nothing wrong`,
    }
  },
}

const list: Command = {
  name: 'workflow list',
  summary: 'all states, and what became of them',
  examples: ['workflow list', 'workflow list --json'],
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const data = await readAt(context, 'workflow.list', {})
    const rows = (Array.isArray(data) ? data : []).map((row) => members(row))
    const text = (row: Readonly<Record<string, unknown>>) => [
      String(row['state']),
      String(row['status']),
      row['steps'] === 0 ? '' : `${String(row['steps'])} steps`,
      String(row['mode']),
      Array.isArray(row['next']) && row['next'].length > 0 ? `→ ${row['next'].join(', ')}` : '(end)',
    ]
    return {
      data,
      text: () =>
        columns(rows.map(text), { width: context.io.width })
          .map((line, i) => (rows[i]?.['status'] === 'current' ? context.paint.bold(line) : line))
          .join('\n'),
    }
  },
}

export const workflowCommands: readonly Command<App>[] = [...hotWorkflowCommands, define, validate, list]

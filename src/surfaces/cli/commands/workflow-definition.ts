/** Definitions of workflows, and their states. */
import * as path from 'node:path'
import { membersOf } from '../../../kernel/json/members.ts'
import { written } from '../answer/answer.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { textOf, type Input } from '../context/input.ts'
import { columns, count, plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'
import { checkpointCommands } from './workflow-checkpoint.ts'
import { hotWorkflowCommands, readAt } from './workflow.ts'

const define: Command<App> = {
  name: 'workflow define',
  summary: 'give a session the workflow of a file; the default one when left out',
  examples: ['workflow define review.workflow.yaml', 'workflow define --scope research-only'],
  parameters: [
    { name: 'FILE', field: 'file', type: 'text', required: false, summary: 'a workflow in YAML, JSON or a module' },
  ],
  flags: [
    {
      name: 'scope',
      field: 'scope',
      type: 'text',
      value: 'SCOPE',
      summary: 'how far it goes: research-only, research-and-plan, full-implementation …',
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
      ([event]) => `workflow ${textAt(membersOf(membersOf(event?.data)['definition'])['name']) ?? ''}`,
    )
  },
}

function definitionOf(context: Context<App>, input: Input): Promise<unknown> | undefined {
  const file = textOf(input, 'file')
  return file === undefined ? undefined : context.app.loadWorkflow(path.resolve(context.cwd, file))
}

const validate: Command<App> = {
  name: 'workflow validate',
  summary: 'what is wrong with a workflow file, or that of the session; exit 4 if anything',
  examples: [
    'workflow validate review.workflow.yaml',
    'workflow validate review.workflow.yaml --json',
    'workflow validate',
  ],
  parameters: [
    { name: 'FILE', field: 'file', type: 'text', required: false, summary: 'a workflow in YAML, JSON or a module' },
  ],
  flags: [],
  shares: ['session'],
  run: async (context, input) => {
    const definition =
      (await definitionOf(context, input)) ?? (await context.session('read')).get('$.workflow.definition')
    const file = textOf(input, 'file')
    const warnings = (await problemsOf(context, definition)).map(({ path: at, message }) => ({ path: at, message }))
    const states = Object.entries(membersOf(membersOf(definition)['states']))
    const steps = states.reduce((sum, [, state]) => sum + stepsIn(membersOf(state)), 0)
    const what = `${file ?? 'the workflow'}: ${count(states.length, 'state')}, ${count(steps, 'step')}`
    const fine = warnings.length === 0 ? 'nothing wrong' : `it can run, but see to ${count(warnings.length, 'warning')}`
    return {
      data: {
        file: file === undefined ? null : path.resolve(context.cwd, file),
        valid: true,
        states: states.length,
        steps,
        warnings,
        definition,
      },
      text: [
        `${what}, ${fine}`,
        ...warnings.map(({ path: at, message }) => `  warning: ${at}: ${plain(message)}`),
      ].join('\n'),
    }
  },
}

/** A handler is a step of its state. */
const stepsIn = ({ steps, handler }: Readonly<Record<string, unknown>>): number =>
  Object.keys(membersOf(steps)).length + (handler === undefined ? 0 : 1)

interface Said {
  readonly path: string
  readonly message: string
}

/** Files with errors do not come so far; what is left are warnings. */
async function problemsOf(context: Context<App>, definition: unknown): Promise<readonly Said[]> {
  const operation = await context.app.operations.get('workflow.validate')
  const report = operation?.read({}, { definition }, { now: Date.now() })
  return (Array.isArray(report) ? report : []).map((each) => {
    const { path: at, message } = membersOf(each)
    return { path: Array.isArray(at) ? at.join('.') : '', message: String(message) }
  })
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
    const rows = (Array.isArray(data) ? data : []).map((row) => membersOf(row))
    const text = (row: Readonly<Record<string, unknown>>) => [
      String(row['state']),
      String(row['status']),
      row['steps'] === 0 ? '' : `${String(row['steps'])} steps`,
      String(row['mode']),
      row['terminal'] !== true && Array.isArray(row['next']) && row['next'].length > 0
        ? `→ ${row['next'].join(', ')}`
        : '(end)',
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

export const workflowCommands: readonly Command<App>[] = [
  ...hotWorkflowCommands,
  define,
  validate,
  list,
  ...checkpointCommands,
]

/** Declared states and where the work stands in them. Transitions are made from their operation. */
import { failure } from '../../../kernel/decision.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import type { Event } from '../../../kernel/log/commit.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { parseInput } from '../../../kernel/operation/input.ts'
import { written } from '../answer/answer.ts'
import type { TransitionApp } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, textOf } from '../context/input.ts'
import { columns, plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'

const transition: Command<TransitionApp> = {
  name: 'workflow transition',
  summary: 'go to another state that is allowed next',
  examples: [
    'workflow transition implement',
    'workflow transition test -- npm test',
    'workflow transition test --begin',
    'workflow transition --resume',
  ],
  notes:
    'Intent and outcome are two facts: --begin tells the first, --resume or --abandon the second. A command runs between them; when it fails, the intent stays. Killed on the way, it stays too: status shows it. Into a state with approval an agent tells the intent, and a person resumes it.',
  parameters: [{ name: 'STATE', field: 'to', type: 'text', required: false, summary: 'whole name of the state' }],
  flags: [
    { name: 'begin', field: 'begin', type: 'boolean', summary: 'tell the intent only' },
    { name: 'resume', field: 'resume', type: 'boolean', summary: 'finish the intent that was told' },
    { name: 'abandon', field: 'abandon', type: 'boolean', summary: 'take the intent back' },
    { name: 'timeout', field: 'timeout', type: 'duration', value: 'TIME', summary: 'for the command' },
    {
      name: 'repeatable',
      field: 'repeatable',
      type: 'boolean',
      summary: 'the command may run again when its outcome is unknown',
    },
  ],
  shares: ['session', 'write'],
  takesCommand: true,
  run: async (context, input) => {
    const { transitionWith } = context.app
    if (input['command'] !== undefined && transitionWith !== undefined) return transitionWith(context, input)
    const { options } = context
    const session = await context.session('write')
    const asked = {
      to: textOf(input, 'to'),
      begin: isOn(input, 'begin'),
      resume: isOn(input, 'resume'),
      abandon: isOn(input, 'abandon'),
    }
    return written(context, await session.run('workflow.transition', asked, options), said)
  },
}

const LEFT_OPEN: Readonly<Record<string, string>> = {
  'workflow.transition-intended': ', begun and not finished',
  'workflow.transition-abandoned': ', taken back',
}

/** `plan → implement`. */
export function said(events: readonly Event[]): string {
  const last = events.at(-1)
  const { from, to } = membersOf(last?.data)
  return `${textAt(from) ?? ''} → ${textAt(to) ?? ''}${LEFT_OPEN[last?.type ?? ''] ?? ''}`
}

const next: Command = {
  name: 'workflow next',
  summary: 'the states that may come next, one a line',
  examples: ['workflow next', 'workflow next --json'],
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const value = membersOf(await readAt(context, 'workflow.next', {}))
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
    const data = membersOf(await readAt(context, 'workflow.show', {}))
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
  if (!parsed.ok) throw failure(parsed.refusal)
  return operation.read(await session.stateAt(at), parsed.input, { now: session.now() })
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
  const intent = membersOf(data['intent'])
  const rows = [
    ['current', current],
    ['next', list('allowed').join(', ') || (data['finished'] === true ? 'finished' : '')],
    ['intent', textAt(intent['to']) === null ? '' : `${textAt(intent['to']) ?? ''}, begun and not finished`],
    ['error', errorText(membersOf(data['error']))],
    ['scope', textAt(data['scope']) ?? ''],
    ['done', list('completed').join(', ')],
  ].filter(([, text]) => text !== '')
  const head = `${paint.bold(plain(textAt(data['name']) ?? ''))}  ${plain(textAt(data['goal']) ?? '')}`.trimEnd()
  return [head, states.join(paint.dim(' → ')), ...columns(rows, { width: io.width, indent: '  ' })].join('\n')
}

function errorText(error: Readonly<Record<string, unknown>>): string {
  const state = textAt(error['failed_state'])
  if (state === null) return ''
  const tries = `retry ${String(error['retry_count'])} of ${String(error['limit'])}`
  const last = textAt(error['last_error'])
  return `${state}: ${last === null ? 'goes on' : plain(last)} (${textAt(error['class']) ?? ''}, ${tries})`
}

/* Work whose end a commit tells: steps, states of a workflow, the workflow, agents. */
import type { Attributes } from '@opentelemetry/api'
import { membersOf } from '../../kernel/json/members.ts'
import type { Draft, Event } from '../../kernel/log/commit.ts'
import type { Watched } from '../../kernel/observer.ts'
import { numberIn, textIn } from './read.ts'
import type { Starts } from './starts.ts'

export interface Work {
  readonly kind: 'step' | 'state' | 'workflow' | 'agent'
  readonly name: string
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly attributes: Attributes
  readonly error?: { readonly type: string; readonly message: string }
}

interface Told {
  readonly session: Watched
  readonly data: unknown
  readonly at: string
  readonly starts: Starts
}

export function endedWork(session: Watched, { at, events }: Draft, starts: Starts): readonly Work[] {
  return events.flatMap(({ type, data }: Event): readonly Work[] => ENDS[type]?.({ session, data, at, starts }) ?? [])
}

const ENDS: Readonly<Record<string, (told: Told) => readonly Work[]>> = {
  'agent.registered': ({ session, data, at, starts }) => {
    starts.come(session.id, textIn(data, 'id') ?? '', { at, type: textIn(data, 'agent_type') ?? '' })
    return []
  },
  'agent.removed': agent,
  'step.finished': (told) => step(told, undefined),
  'step.failed': (told) =>
    step(told, { type: textIn(told.data, 'class') ?? 'failed', message: textIn(told.data, 'reason') ?? '' }),
  'workflow.transitioned': state,
  'workflow.completed': workflow,
}

function work(
  kind: Work['kind'],
  name: string,
  [from, to]: readonly [from: string, to: string],
  rest: Pick<Work, 'attributes' | 'error'>,
): Work {
  const end = Date.parse(to)
  const begun = Date.parse(from)
  return { kind, name, from: Number.isNaN(begun) ? end : Math.min(begun, end), to: end, ...rest }
}

/** A step that used tokens is the work of an agent; any other one that of a tool. */
function step({ session, data, at }: Told, error: Work['error']): readonly Work[] {
  const record = membersOf(membersOf(session.state['steps'])['ledger'])[textIn(data, 'key') ?? '']
  const attempt = membersOf(record)['attempt']
  const name = textIn(record, 'name') ?? ''
  const tokens = numberIn(data, 'tokens') ?? 0
  const outputs = membersOf(data)['outputs']
  const attributes: Attributes = {
    ...(tokens > 0
      ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name }
      : { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name }),
    ...workflowName(session),
    'steadfold.step.name': name,
    'steadfold.step.attempt': numberIn(attempt, 'number') ?? 1,
    ...given('steadfold.workflow.state', textIn(record, 'state')),
    ...given('steadfold.step.exit', numberIn(data, 'exit')),
    ...(tokens > 0 ? { 'steadfold.usage.tokens': tokens } : {}),
    ...given('gen_ai.usage.input_tokens', countIn(outputs, 'input_tokens')),
    ...given('gen_ai.usage.output_tokens', countIn(outputs, 'output_tokens')),
    ...given('steadfold.usage.cost_usd', numberIn(data, 'cost_usd') || undefined),
  }
  const rest = error === undefined ? { attributes } : { attributes, error }
  return [work('step', `step ${name}`, [textIn(attempt, 'started_at') ?? '', at], rest)]
}

/** Outputs are texts. */
function countIn(outputs: unknown, name: string): number | undefined {
  const text = textIn(outputs, name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function state({ session, data, at }: Told): readonly Work[] {
  const from = textIn(data, 'from') ?? ''
  const to = textIn(data, 'to') ?? ''
  const attributes = { ...workflowName(session), 'steadfold.workflow.state': from, 'steadfold.workflow.next': to }
  return [work('state', `state ${from}`, [enteredAt(session, from, at), at], { attributes })]
}

/** By the transition that led there before; the first state was entered when the session began. */
function enteredAt(session: Watched, name: string, left: string): string {
  const history = membersOf(session.state['workflow'])['history']
  const before = Array.isArray(history) ? history.filter((entry) => (textIn(entry, 'at') ?? '') <= left) : []
  const entry = before.findLast((each, i) => textIn(each, 'to') === name && i < before.length - 1)
  return textIn(entry, 'at') ?? begunAt(session)
}

const begunAt = ({ state: root }: Watched): string => textIn(root['session'], 'created_at') ?? ''

function workflow({ session, at }: Told): readonly Work[] {
  const name = textIn(session.state['workflow'], 'name') ?? ''
  const attributes = { 'gen_ai.operation.name': 'invoke_workflow', ...given('gen_ai.agent.name', name || undefined) }
  return [work('workflow', `invoke_workflow ${name}`, [begunAt(session), at], { attributes })]
}

const workflowName = ({ state: root }: Watched): Attributes =>
  given('steadfold.workflow.name', textIn(root['workflow'], 'name'))

const WELL: ReadonlySet<string> = new Set(['finished', 'stopped'])

function agent({ session, data, at, starts }: Told): readonly Work[] {
  const id = textIn(data, 'id') ?? ''
  const cause = textIn(data, 'cause') ?? ''
  const begun = starts.go(session.id, id)
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': id,
    'steadfold.agent.cause': cause,
    ...given('steadfold.agent.type', begun?.type),
    ...given('steadfold.task.id', textIn(data, 'task')),
  }
  const error = WELL.has(cause) ? {} : { error: { type: cause, message: textIn(data, 'reason') ?? cause } }
  return [work('agent', `invoke_agent ${id}`, [begun?.at ?? '', at], { attributes, ...error })]
}

const given = (name: string, value: string | number | undefined): Attributes =>
  value === undefined ? {} : { [name]: value }

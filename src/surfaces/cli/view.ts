/*
 * What people ask of a session at a glance, read from its state. Members that are not there read as nothing, so that a
 * session of any version can be looked at.
 */
import type { Session } from '../../kernel/session.ts'
import { nameOf, statusOf } from './scope.ts'

export interface StepView {
  readonly name: string
  readonly state: string | null
  readonly status: string
  readonly reason: string | null
  readonly attempts: number
  readonly gate: boolean
  readonly tokens: number
  readonly cost_usd: number
  readonly duration_ms: number
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly exit: number | null
}

export interface IntentView {
  readonly from: string
  readonly to: string
  readonly at: string
  readonly actor: string
  /** Name of the command between intent and outcome, if it was begun with one. */
  readonly handler: string
}

export interface SessionView {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly goal: string | null
  readonly seq: number
  readonly updated_at: string
  readonly holder: string | null
  readonly workflow: {
    readonly name: string
    readonly current: string
    readonly terminal: string
    readonly steps: number
    /** A transition that was begun and has no outcome. */
    readonly intent: IntentView | null
    /** Why the work of a state has stopped. */
    readonly error: { readonly state: string; readonly reason: string; readonly at: string } | null
  } | null
  readonly steps: readonly StepView[]
  readonly tokens: number
  readonly cost_usd: number
}

export function viewOf(session: Session): SessionView {
  const steps = stepsOf(session)
  const sum = (of: (step: StepView) => number) => steps.reduce((total, step) => total + of(step), 0)
  return {
    id: session.id,
    name: nameOf(session),
    status: statusOf(session),
    goal: textAt(session.get('$.session.goal')),
    seq: session.seq,
    updated_at: session.updatedAt,
    holder: textAt(session.get('$.session.lease.holder')),
    workflow: workflowOf(session),
    steps,
    tokens: sum(({ tokens }) => tokens),
    cost_usd: sum(({ cost_usd }) => cost_usd),
  }
}

function workflowOf(session: Session): SessionView['workflow'] {
  const current = textAt(session.get('$.workflow.current'))
  if (current === null) return null
  const states = Object.values(members(session.get('$.workflow.definition.states')))
  const steps = states.reduce<number>((total, state) => total + Object.keys(members(members(state)['steps'])).length, 0)
  return {
    name: textAt(session.get('$.workflow.name')) ?? textAt(session.get('$.workflow.definition.name')) ?? '',
    current,
    terminal: textAt(session.get('$.workflow.terminal')) ?? '',
    steps,
    intent: intentOf(members(session.get('$.workflow.intent'))),
    error: errorOf(members(session.get('$.workflow.error'))),
  }
}

function intentOf({ from, to, at, actor, token }: Members): IntentView | null {
  if (typeof to !== 'string') return null
  const text = (value: unknown) => textAt(value) ?? ''
  return { from: text(from), to, at: text(at), actor: text(actor), handler: handlerOf(to, Number(token)) }
}

export const handlerOf = (to: string, token: number): string => `${to}:handler@${token}`

function errorOf({ last_error: reason, failed_state: state, at }: Members) {
  return typeof reason === 'string' ? { reason, state: textAt(state) ?? '', at: textAt(at) ?? '' } : null
}

export const stepsOf = (session: Session): readonly StepView[] =>
  Object.values(members(session.get('$.steps.ledger'))).map((record) => stepOf(members(record)))

function stepOf(record: Members): StepView {
  const spent = members(record['spent'])
  const outcome = { ...members(record['failure']), ...members(record['result']) }
  return {
    name: textAt(record['name']) ?? '',
    state: textAt(record['state']),
    status: textAt(record['status']) ?? '',
    reason: textAt(record['reason']) ?? textAt(members(record['failure'])['reason']),
    attempts: numberAt(record['attempts']) ?? 0,
    gate: record['command'] === null,
    tokens: numberAt(spent['tokens']) ?? 0,
    cost_usd: numberAt(spent['cost_usd']) ?? 0,
    duration_ms: numberAt(spent['duration_ms']) ?? 0,
    started_at: textAt(members(record['attempt'])['started_at']),
    finished_at: textAt(record['finished_at']),
    exit: numberAt(outcome['exit']),
  }
}

type Members = Readonly<Record<string, unknown>>

export function members(value: unknown): Members {
  // An object of JSON is a record of unknown members.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

export const textAt = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberAt = (value: unknown): number | null => (typeof value === 'number' ? value : null)

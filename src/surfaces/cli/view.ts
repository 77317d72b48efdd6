/*
 * What people ask of the steps of a session, read from its state. Members that are not there read as nothing, so that a
 * session of any version can be looked at.
 */
import type { Session } from '../../kernel/session.ts'

interface StepView {
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
  /** It has failed, and whoever holds the session tries it again by itself. */
  readonly again: boolean
}

export const handlerOf = (to: string, token: number): string => `${to}:handler@${token}`

export function stepsOf(session: Session): readonly StepView[] {
  const isHeld = (session.get('$.session.lease') ?? null) !== null
  return Object.values(members(session.get('$.steps.ledger'))).map((record) => stepOf(members(record), isHeld))
}

function stepOf(record: Members, isHeld: boolean): StepView {
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
    again: isHeld && members(record['failure'])['again'] === true,
  }
}

type Members = Readonly<Record<string, unknown>>

export function members(value: unknown): Members {
  // An object of JSON is a record of unknown members.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

export const textAt = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberAt = (value: unknown): number | null => (typeof value === 'number' ? value : null)

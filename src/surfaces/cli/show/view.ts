/*
 * What people ask of the steps of a session, read from its state. Members that are not there read as nothing, so that a
 * session of any version can be looked at.
 */
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'

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

/** What each name stands for now: work that had it before is in the ledger, too. */
export function stepsOf(session: Session): readonly StepView[] {
  const isHeld = (session.get('$.session.lease') ?? null) !== null
  const ledger = membersOf(session.get('$.steps.ledger'))
  const keys = new Set(Object.values(membersOf(session.get('$.steps.names'))))
  return Object.entries(ledger).flatMap(([key, record]) => (keys.has(key) ? [stepOf(membersOf(record), isHeld)] : []))
}

function stepOf(record: Members, isHeld: boolean): StepView {
  const spent = membersOf(record['spent'])
  const outcome = { ...membersOf(record['failure']), ...membersOf(record['result']) }
  return {
    name: textAt(record['name']) ?? '',
    state: textAt(record['state']),
    status: textAt(record['status']) ?? '',
    reason: textAt(record['reason']) ?? textAt(membersOf(record['failure'])['reason']),
    attempts: numberAt(record['attempts']) ?? 0,
    gate: record['command'] === null,
    tokens: numberAt(spent['tokens']) ?? 0,
    cost_usd: numberAt(spent['cost_usd']) ?? 0,
    duration_ms: numberAt(spent['duration_ms']) ?? 0,
    started_at: textAt(membersOf(record['attempt'])['started_at']),
    finished_at: textAt(record['finished_at']),
    exit: numberAt(outcome['exit']),
    again: isHeld && membersOf(record['failure'])['again'] === true,
  }
}

export const textAt = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberAt = (value: unknown): number | null => (typeof value === 'number' ? value : null)

import type { Tree } from '../../kernel/module.ts'
import type { Cost, StepRecord, StepStatus } from './events.ts'
import { stepsOf } from './steps.ts'

/** One line of `step list`. */
export interface StepRow extends Cost {
  readonly name: string
  readonly state: string | null
  readonly status: StepStatus
  readonly attempts: number
  readonly exit: number | null
  readonly class: string | null
  readonly reason: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly reused: number
  readonly key: string
}

export function stepRow(record: StepRecord): StepRow {
  const { key, name, state, status, attempts, attempt, result, failure, reason, spent, finished_at, reused } = record
  return {
    name,
    state,
    status,
    attempts,
    exit: result?.exit ?? failure?.exit ?? null,
    class: failure?.class ?? null,
    reason: reason ?? failure?.reason ?? null,
    ...spent,
    started_at: attempt?.started_at ?? null,
    finished_at,
    reused,
    key,
  }
}

/** In the order in which they were first recorded. */
export const stepRows = (root: Readonly<Tree>): readonly StepRow[] =>
  Object.values(stepsOf(root)?.ledger ?? {}).map(stepRow)

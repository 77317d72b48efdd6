import type { Tree } from '../../kernel/state/module.ts'
import type { Cost, StepRecord, StepStatus } from './events.ts'
import { isOfWorkflow, recordNamed, stepsOf } from './steps.ts'

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

/** What each name stands for now, in the order in which it was first recorded; with `all`, also finished work of before. */
export function stepRows(root: Readonly<Tree>, all = false): readonly StepRow[] {
  const slice = stepsOf(root)
  const isCurrent = ({ key, name, state }: StepRecord): boolean =>
    recordNamed(slice, name)?.key === key || (state === null && isOfWorkflow(slice, name))
  return Object.values(slice?.ledger ?? {})
    .filter((record) => all || isCurrent(record))
    .map(stepRow)
}

/** By what a step is found: its key, where its name is that of another (T12). */
export const wordFor = (root: Readonly<Tree>, { key, name }: Pick<StepRecord, 'key' | 'name'>): string =>
  recordNamed(stepsOf(root), name)?.key === key ? name : key.slice(0, 12)

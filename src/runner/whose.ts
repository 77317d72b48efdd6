/* O2 and O3 of others.ts: whose a step is, a runner's that is at work, or one that has counted it; else anybody's. */
import { runnerOf } from '../domain/steps/steps.ts'
import type { Spending } from '../kernel/work/runner.ts'
import type { Run } from './context.ts'
import { stepNamed, NO_SPENDING, ledgerOf, now } from './ground.ts'

/** Whether the runner beside which this one drives has counted it. */
export const isCounted = ({ beside }: Run, lease: number | null | undefined): boolean =>
  beside !== undefined && lease === beside

/** What a finished step of that name need not cost again. */
export function savedBy(run: Run, name: string): Spending {
  const record = stepNamed(run.session, name)
  return isCounted(run, record?.attempt?.lease) ? NO_SPENDING : (record?.result ?? NO_SPENDING)
}

/** Whether steps under this lease are left alone. */
export function isAtWork(run: Run, lease: number | null | undefined): boolean {
  const runner = typeof lease === 'number' ? runnerOf(ledgerOf(run.session), lease) : undefined
  if (runner === undefined || runner.expires <= now(run)) return false
  return run.deps.workers.evidence(runner.process).kind !== 'dead'
}

/*
 * Whether work may be taken up again without a person looking at it first. The first that does not hold is reported:
 *
 *   1 tests-passing   2 no-error   3 in-progress   4 recent: at most 7 days old   5 plan-unchanged
 */
import { timeOf } from '../../kernel/log/time.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { StepsSlice } from '../steps/events.ts'
import { workflowOf, type WorkflowSlice } from './workflow.ts'

const DAY = 86_400_000
const MOST_DAYS = 7
/** Name of the output by which a step says whether the tests pass. */
const TESTS_OUTPUT = 'tests_passing'

export interface Safety {
  readonly safe: boolean
  /** The first condition that does not hold. */
  readonly condition: string | null
  readonly why: string | null
}

/** `planModified` in seconds since 1970: null when there is no such file, undefined when nobody looked. */
export function safeResume(root: Readonly<Tree>, now: number, planModified: number | null | undefined): Safety {
  const workflow = workflowOf(root)
  const checks: readonly (readonly [condition: string, why: string | undefined])[] = [
    ['tests-passing', testsProblem(testsPassing(root))],
    ['no-error', workflow.error?.last_error ?? undefined],
    ['in-progress', progressProblem(workflow)],
    ['recent', ageProblem(lastWork(root), now)],
    ['plan-unchanged', planProblem(workflow, planModified)],
  ]
  const [condition, why] = checks.find(([, problem]) => problem !== undefined) ?? []
  return { safe: condition === undefined, condition: condition ?? null, why: why ?? null }
}

/** What was said last: by an output of the session, else by the checkpoint file. */
export function testsPassing(root: Readonly<Tree>): boolean | null {
  const said = sliceOf<Readonly<Record<string, string>>>(root, 'outputs')?.[TESTS_OUTPUT]
  if (said !== undefined) return said.trim() === 'true'
  return workflowOf(root).checkpoint?.notes.tests_passing ?? null
}

/** ISO 8601; null when nothing was done. A state may last for long: its steps are work as well. */
export function lastWork(root: Readonly<Tree>): string | null {
  const { history, checkpoint, intent } = workflowOf(root)
  const moved = intent?.at ?? history.at(-1)?.at ?? checkpoint?.notes.updated_at ?? null
  const steps = Object.values(sliceOf<StepsSlice>(root, 'steps')?.ledger ?? {})
  const worked = steps.flatMap(({ attempt, finished_at }) => finished_at ?? attempt?.started_at ?? [])
  // What a file says may be no time: it is told where nothing is known besides.
  return worked.reduce((last, at) => (last !== null && timeOf(last) >= timeOf(at) ? last : at), moved)
}

const testsProblem = (passing: boolean | null): string | undefined =>
  passing === true
    ? undefined
    : passing === false
      ? 'tests fail'
      : `nobody said that tests pass: output ${TESTS_OUTPUT}`

export function statusOf({ current, terminal, completed_at, history, checkpoint }: WorkflowSlice): string {
  if (current === terminal || completed_at !== null) return 'completed'
  // What the file said holds until something happens here.
  return history.length === 0 ? (checkpoint?.notes.status ?? 'in_progress') : 'in_progress'
}

function progressProblem(workflow: WorkflowSlice): string | undefined {
  const status = statusOf(workflow)
  return status === 'in_progress' ? undefined : `it is ${status}, not in progress`
}

function ageProblem(at: string | null, now: number): string | undefined {
  if (at === null) return 'nothing says when it was worked on last'
  const age = now - timeOf(at)
  if (Number.isNaN(age)) return `"${at}" is no time`
  return age <= MOST_DAYS * DAY ? undefined : `it was worked on ${Math.floor(age / DAY)} days ago, at most ${MOST_DAYS}`
}

function planProblem({ checkpoint }: WorkflowSlice, modified: number | null | undefined): string | undefined {
  const { plan = null, plan_modified: then = null } = checkpoint?.notes ?? {}
  if (plan === null || then === null) return undefined
  if (modified === undefined) return `nobody looked at the plan ${plan}`
  if (modified === null) return `the plan ${plan} is not there`
  return Math.floor(modified) === Math.floor(then) ? undefined : `the plan ${plan} was changed`
}

/*
 * Drives a workflow from state to state until its end, or until a person is needed.
 *
 *   no intent open ──► gate ──► steps of the state ──share met──► next ──► …
 *                                     │ missed ──► on_failure, else stop
 */
import type { StepStatus } from '../domain/steps/events.ts'
import { gateKey } from '../domain/steps/key.ts'
import { recordOf } from '../domain/steps/steps.ts'
import { visitOf, workflowOf, type WorkflowSlice } from '../domain/workflow/workflow.ts'
import type { ErrorCode } from '../kernel/error.ts'
import { accepted } from '../kernel/operation/answer.ts'
import type { Session } from '../kernel/session.ts'
import { whole } from '../kernel/text/whole.ts'
import type { RunStatus } from '../kernel/work/runner.ts'
import { catchUp, missingFor } from './behind.ts'
import { isBehind, stateIn, stepsIn, type Run } from './context.ts'
import { hasEnded, ledgerOf, stepNamed, toType, treeOf } from './ground.ts'
import { runState, type StateOutcome } from './state.ts'

/** A workflow that goes in circles is stopped here; so often may one run enter a state. */
const MOST_VISITS = 20
const LOOK_MS = 300
const MOST_REASON = 4000
/** Steps in a message; the result has them all. */
const MOST_NAMED = 10

export interface End {
  readonly status: RunStatus
  readonly code: ErrorCode | undefined
  readonly message: string
  readonly hint: string | undefined
}

export async function drive(run: Run, wait: boolean): Promise<End> {
  const { session, actor } = run
  const { intent, error } = workflow(run)
  if (intent !== null) return unfinished(session, intent)
  // Whoever runs it again has decided that it may go on.
  if (error && error.last_error !== null) accepted(await session.run('workflow.retry', { approve: true }, { actor }))
  const visits = new Map<string, number>()
  for (;;) {
    const { current } = workflow(run)
    visits.set(current, (visits.get(current) ?? 0) + 1)
    if ((visits.get(current) ?? 0) > MOST_VISITS)
      return ending(
        'failed',
        'LIMIT_REACHED',
        `state "${current}" was entered ${MOST_VISITS} times in this run`,
        `see why its steps do not succeed: ${toType(session, 'step', 'list')}`,
      )
    const end = await work(run, current)
    if (end === 'on') continue
    if (end.status !== 'needs-person' || !wait) return end
    visits.delete(current)
    if (!run.stop.told) await personActs(run)
    if (run.stop.told) return stoppedIn(current)
  }
}

/** What its handler did is not known here, so a person says how it goes on. */
function unfinished(session: Session, { from, to }: NonNullable<WorkflowSlice['intent']>): End {
  return ending(
    'needs-person',
    'NEEDS_PERSON',
    `a transition from "${from}" to "${to}" was begun and did not finish`,
    `${toType(session, 'workflow', 'transition', to, '--resume')}, or --abandon`,
  )
}

/** One state; `on` when the workflow went on to another. */
async function work(run: Run, current: string): Promise<End | 'on'> {
  const state = stateIn(run.definition, current)
  if (state === undefined)
    return ending(
      'failed',
      'WORKFLOW_INVALID',
      `the workflow stands in "${current}", which is not defined`,
      'steadfold workflow show',
    )
  if (state.approval && !(await gatePassed(run, current))) {
    return ending(
      'needs-person',
      'NEEDS_PERSON',
      `state "${current}" waits for approval`,
      toType(run.session, 'step', 'release', gateName(current)),
    )
  }
  await catchUp(run, current)
  const outcome = await runState(run, current, state)
  const leave = (to: string | null) =>
    run.emit({ type: 'state-left', state: current, to, succeeded: outcome.succeeded, of: outcome.of })
  if (run.stop.told && !(outcome.met && outcome.succeeded === outcome.of)) return stoppedIn(current)
  const { current: stands, intent } = workflow(run)
  if (intent !== null) return unfinished(run.session, intent)
  if (stands !== current) {
    // Somebody has led it elsewhere, or set it back, and knows why.
    leave(stands)
    return 'on'
  }
  const to = nextState(run, current, outcome)
  if (typeof to !== 'string') {
    leave(null)
    if (outcome.met) accepted(await run.session.run('workflow.complete', {}, { actor: run.actor }))
    else if (to.status === 'failed') await fail(run, to.message)
    return to
  }
  leave(to)
  accepted(await run.session.run('workflow.transition', { to }, { actor: run.actor }))
  return 'on'
}

async function fail({ session, actor }: Run, reason: string): Promise<void> {
  accepted(await session.run('workflow.fail', { reason: whole(reason, MOST_REASON) }, { actor }))
}

function nextState(run: Run, current: string, outcome: StateOutcome): End | string {
  const { terminal } = workflow(run)
  const state = stateIn(run.definition, current)
  if (outcome.met) return current === terminal ? completed(run) : (state?.next[0] ?? completed(run))
  const [parked] = outcome.parked
  if (parked !== undefined)
    return ending(
      'needs-person',
      'NEEDS_PERSON',
      `${outcome.parked.length} of ${outcome.of} steps of "${current}" wait for a person: ${named(outcome.parked)}`,
      toType(run.session, 'step', 'release', parked),
    )
  if (state?.on_failure !== undefined && current !== terminal) return state.on_failure
  return missed(run, current, outcome)
}

/** K2: what kept the state from its share may be behind it. */
function missed(run: Run, current: string, { succeeded, of, failed, skipped }: StateOutcome): End {
  const behind = missingFor(run, current)
  const message = [
    `"${current}": ${succeeded} of ${of} steps succeeded`,
    ...(failed.length > 0 ? [`failed: ${named(failed)}`] : []),
    ...(skipped.size > 0 ? [`not run: ${named([...skipped].map(([name, reason]) => `${name} (${reason})`))}`] : []),
    ...firstOf(
      behind.map(
        ({ name, state, status }) => `${name} of "${state}" ${status === undefined ? 'never began' : `is ${status}`}`,
      ),
    ),
  ].join('; ')
  const parked = behind.find(({ status }) => status === 'parked')
  if (parked !== undefined)
    return ending('needs-person', 'NEEDS_PERSON', message, toType(run.session, 'step', 'release', parked.name))
  const broken = behind.find(({ status }) => status === 'failed')
  if (broken !== undefined)
    return ending(
      'failed',
      'STEP_FAILED',
      message,
      `${toType(run.session, 'step', 'retry', broken.name)}, then run it again`,
    )
  const hint = failed.length > 0 ? 'run it again: only what failed runs again' : 'see to that, then run it again'
  return ending('failed', 'STEP_FAILED', message, hint)
}

function completed(run: Run): End {
  const { tally } = run
  const now = [...tally.names('failed'), ...tally.names('parked'), ...tally.names('skipped')]
  const missed = [...new Set([...now, ...leftBehind(run)])]
  if (missed.length === 0) return ending('completed', undefined, 'completed', undefined)
  return ending('partial', 'PARTIAL', `completed, but without ${named(missed)}`, toType(run.session, 'step', 'list'))
}

const BROKEN: ReadonlySet<StepStatus | undefined> = new Set(['failed', 'parked', 'ready'])

/**
 * Failed before this run began, in a state that it did not come to again: the end is the same as without a break. What somebody
 * let run again there has not.
 */
function leftBehind(run: Run): readonly string[] {
  const broken = [...stepsIn(run.definition)].filter(
    ({ name, state }) => BROKEN.has(stepNamed(run.session, name)?.status) && isBehind(run, state),
  )
  return broken.map(({ name }) => name)
}

const named = (steps: readonly string[]): string => firstOf(steps).join(', ')

const firstOf = (all: readonly string[]): readonly string[] =>
  all.length > MOST_NAMED ? [...all.slice(0, MOST_NAMED), `and ${all.length - MOST_NAMED} more`] : all

const ending = (status: RunStatus, code: ErrorCode | undefined, message: string, hint: string | undefined): End => ({
  status,
  code,
  message,
  hint,
})

const stoppedIn = (state: string): End =>
  ending('interrupted', undefined, `stopped in "${state}"; what finished is recorded`, 'run it again to go on')

const workflow = (run: Run): WorkflowSlice => workflowOf(treeOf(run.session))

const gateName = (state: string): string => `${state}:approval`

async function gatePassed(run: Run, state: string): Promise<boolean> {
  const { session, actor, deps, emit, tally } = run
  const slice = workflow(run)
  const key = gateKey(slice.name, state, visitOf(slice), deps.workspace.kernel.host.sha256)
  const reason = `approve state "${state}"`
  accepted(await session.run('step.gate', { key, name: gateName(state), state, reason }, { actor }))
  if (recordOf(ledgerOf(session), key)?.status === 'ready') {
    tally.forget(gateName(state))
    return true
  }
  tally.note(gateName(state), 'parked')
  emit({
    type: 'step-parked',
    step: gateName(state),
    state,
    reason,
    next: toType(session, 'step', 'release', gateName(state)),
  })
  return false
}

/** Until something that is parked now is not any more, or a transition was made, begun or taken back. */
async function personActs(run: Run): Promise<void> {
  const { session, stop, lost, deps } = run
  const standing = () =>
    Object.values(ledgerOf(session)?.ledger ?? {})
      .filter(({ status }) => status === 'parked')
      .map(({ key }) => key)
      .concat(workflow(run).current, String(workflow(run).intent?.token))
      .join()
  const before = standing()
  run.emit({ type: 'waiting', reason: 'a person', until: Number.POSITIVE_INFINITY, next: null })
  while (standing() === before && !stop.told && !lost.aborted && !hasEnded(session)) {
    await deps.workspace.kernel.host.sleep(LOOK_MS)
    await session.refresh()
  }
  if (lost.aborted) throw lost.reason
}

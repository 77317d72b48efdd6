/* What paid work and the workflow around it need. */
import { sliceOf } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { SessionSlice } from '../session/events.ts'
import type { StepRecord, StepsSlice } from '../steps/events.ts'
import { wordFor } from '../steps/views.ts'
import { handlerOf, hasLeft, isHandler, mayRetry } from '../workflow/events.ts'
import { command, type Found, type Looked } from './need.ts'
import { isFinished, isGate, stillNeeded, workflowIn, type WorkflowShape } from './workflow-slice.ts'

interface Work extends Looked {
  readonly workflow: WorkflowShape | undefined
  readonly steps: readonly StepRecord[]
  /** Nobody holds the session, or whoever did is gone. */
  readonly isFree: boolean
}

export function workNeeds(looked: Looked): readonly Found[] {
  const { state } = looked.seen
  const lease = sliceOf<SessionSlice>(state, 'session')?.lease ?? null
  const steps = Object.values(sliceOf<StepsSlice>(state, 'steps')?.ledger ?? {})
  const work: Work = { ...looked, workflow: workflowIn(state), steps, isFree: lease === null }
  const own = steps.flatMap((step) => stepNeed(work, step))
  return [...stopped(work), ...stoppedOnces(work), ...unfinished(work), ...own, ...broken(work)]
}

/** A transition between intent and outcome: somebody says how it goes on, of this one alone. What runs between them goes on, too. */
function unfinished(work: Work): readonly Found[] {
  const { intent = null, error = null } = work.workflow ?? {}
  if (intent === null) return []
  const why = error?.last_error ?? `begun by ${intent.actor}`
  const handler = work.steps.find(({ name, status }) => name === handlerOf(intent) && status !== 'finished')
  const next = `${command(work, 'workflow', 'transition', intent.to, '--resume')}${behind(handler?.command)}`
  return [{ kind: 'UNFINISHED', what: `${intent.from} → ${intent.to}`, why, since: intent.at, next }]
}

/** A state whose work failed, without a step of its own that says so. */
function broken(work: Work): readonly Found[] {
  const { intent = null, error = null } = work.workflow ?? {}
  const why = error?.last_error ?? null
  if (error === null || why === null || intent !== null || !work.isFree) return []
  if (work.steps.some((step) => step.state === error.failed_state && stepNeed(work, step).length > 0)) return []
  const next = command(work, 'workflow', 'retry', ...(mayRetry(error) ? [] : ['--approve']))
  return [{ kind: 'FAILED', what: `state ${error.failed_state}`, why, since: error.at, next }]
}

/** Steps under way, stopped or released while nobody holds the session: running it again goes on. */
function stopped(work: Work): readonly Found[] {
  const { seen, steps, workflow, isFree } = work
  const left = steps.filter(
    (step) =>
      step.state !== null &&
      (isReleased(work, step) || ((step.status === 'running' || isInterrupted(step)) && !isGate(step))),
  )
  if (!isFree || workflow === undefined) return []
  if (left.length === 0) return between(work, workflow)
  const what = left.map(({ name }) => name).join(', ')
  const why = left.every(isInterrupted)
    ? 'interrupted, runs again'
    : left.every((step) => isReleased(work, step))
      ? 'released, nobody runs it'
      : 'nobody runs it'
  return [{ kind: 'STOPPED', what, why, since: seen.updated_at, next: command(work, 'run') }]
}

/** A run that ended after one of its steps, before the next; one that is suspended waits for whoever did that. */
function between(work: Work, workflow: WorkflowShape): readonly Found[] {
  const { steps, seen } = work
  const { current, intent, error } = workflow
  const wasRun = steps.some(({ state, attempt }) => state !== null && typeof attempt?.lease === 'number')
  const isSuspended = sliceOf<SessionSlice>(seen.state, 'session')?.lifecycle.status === 'suspended'
  const isHeldUp = isSuspended || intent !== null || (error?.last_error ?? null) !== null
  if (!wasRun || isHeldUp || isFinished(workflow, steps)) return []
  if (steps.some((step) => step.state === current && stepNeed(work, step).length > 0)) return []
  const next = command(work, 'run')
  return [{ kind: 'STOPPED', what: `state ${current}`, why: 'nobody runs it', since: seen.updated_at, next }]
}

/** A gate that was passed counts until a step behind it has begun, or the workflow has come to its end. */
function isReleased({ steps, workflow }: Work, step: StepRecord): boolean {
  if (step.status !== 'ready' || step.state !== workflow?.current) return false
  const isLast = steps.every((other) => other === step || other.state !== step.state)
  return !isGate(step) || (isLast && workflow.completed_at === null)
}

/** Commands run by `once`, which holds nothing, whose process is gone by evidence: asked for again, each goes on. */
function stoppedOnces(work: Work): readonly Found[] {
  const { lost } = work.seen
  return work.steps
    .filter(({ status, state }) => status === 'running' && state === null)
    .filter((step) => !ofTransition(step) && lost?.return.includes(`step ${step.name}`))
    .map(({ name, command: line, attempt, repeatable }) => ({
      kind: 'STOPPED',
      what: `once ${name}`,
      why: lost?.evidence.join('; ') ?? '',
      since: attempt?.started_at ?? work.seen.updated_at,
      next: `${[command(work, 'once', name), ...(repeatable ? ['--repeatable'] : [])].join(' ')}${behind(line)}`,
    }))
}

/** A program with its arguments, behind a command that starts it. */
const behind = (line: StepRecord['command'] | undefined): string =>
  Array.isArray(line) ? ['', '--', ...line.map(quoted)].join(' ') : ''

/** Somebody stopped it; that is no failure of its own. */
const isInterrupted = ({ status, failure }: StepRecord): boolean => status === 'failed' && failure?.interrupted === true

function stepNeed(work: Work, step: StepRecord): readonly Found[] {
  const { name, status, reason, failure, finished_at, attempt } = step
  const why = reason ?? failure?.reason ?? ''
  const since = finished_at ?? attempt?.started_at ?? enteredAt(work, step.state)
  if (status === 'parked') {
    if (waitsInVain(work, step)) return []
    const next = command(work, 'step', 'release', wordFor(work.seen.state, step))
    if (isGate(step)) return [{ kind: 'GATE', what: name, why, since, next }]
    return [{ kind: 'PARKED', what: `step ${name}`, why, since, next }]
  }
  if (!hasFailed(work, step)) return []
  return [
    {
      kind: 'FAILED',
      what: `step ${name}`,
      why,
      since,
      next: command(work, 'step', 'retry', wordFor(work.seen.state, step)),
    },
  ]
}

/** A failure that the workflow has gone on from, because enough of its state succeeded or it has a way out, needs nobody. */
function hasFailed(work: Work, step: StepRecord): boolean {
  const isOver = isBehind(work, step) || ofTransition(step)
  return step.status === 'failed' && !isInterrupted(step) && work.isFree && !isOver
}

/** The workflow stands elsewhere by now: what waits in that state is asked for anew on the next way into it. */
const isBehind = ({ workflow }: Work, { state }: StepRecord): boolean =>
  state !== null && workflow !== undefined && state !== workflow.current

/** Nothing would run it, or ask at it again, were it released. */
function waitsInVain(work: Work, step: StepRecord): boolean {
  if (isGate(step)) return hasLeft(work.workflow, step.state)
  return isBehind(work, step) ? !isNeeded(work, step) : ofTransition(step) && !isUnderWay(work, step)
}

/** What the workflow has left may be in the way of where it stands. */
const isNeeded = ({ workflow, steps }: Work, { name }: StepRecord): boolean =>
  workflow !== undefined && stillNeeded(workflow, steps).has(name)

/** A gate is asked when its state is entered. */
const enteredAt = ({ workflow, seen }: Work, state: string | null): string =>
  workflow?.history.findLast(({ to }) => to === state)?.at ?? seen.updated_at

/** The command of a transition: one that is unfinished is shown itself, and for one that is over nothing runs it again. */
const ofTransition = ({ name, state }: StepRecord): boolean => state === null && isHandler(name)

const isUnderWay = ({ workflow }: Work, { name }: StepRecord): boolean =>
  workflow !== undefined && workflow.intent !== null && handlerOf(workflow.intent) === name

/*
 * Steps of states that the workflow has left, and that steps of its current state need.
 *
 * K1. A state may be left without all of its steps. One that is needed later runs once somebody has retried or released it,
 *     and with it what was never begun because of it.
 * K2. What is still missing is named, with what can be done about it.
 */
import type { StepStatus } from '../domain/steps/events.ts'
import { stateIn, stepsIn, type Placed, type Run } from './context.ts'
import { stepNamed } from './ground.ts'
import { runState } from './state.ts'

export interface Missing extends Placed {
  /** Undefined when it was never begun. */
  readonly status: StepStatus | undefined
}

/** K2: with what those need in turn. */
export function missingFor(run: Run, current: string): readonly Missing[] {
  const known = new Map([...stepsIn(run.definition)].map((each) => [each.name, each]))
  const statusOf = (name: string) => stepNamed(run.session, name)?.status
  const own = Object.entries(stateIn(run.definition, current)?.steps ?? {})
  const asked = own.flatMap(([name, { needs }]) => (statusOf(name) === 'finished' ? [] : needs))
  const found = new Map<string, Missing>()
  // It grows while it is gone through.
  for (const name of asked) {
    const step = known.get(name)
    const status = statusOf(name)
    if (step === undefined || step.state === current || status === 'finished' || found.has(name)) continue
    found.set(name, { ...step, status })
    asked.push(...step.step.needs)
  }
  return [...found.values()]
}

/** K1. A need comes from the same state or an earlier one, so the order of the definition will do. */
export async function catchUp(run: Run, current: string): Promise<void> {
  const missing = missingFor(run, current)
  if (!missing.some(({ status }) => status === 'ready')) return
  const due = dueIn(missing)
  for (const [name, state] of Object.entries(run.definition.states)) {
    const steps = Object.entries(state.steps).filter(([step]) => due.has(step))
    if (steps.length > 0)
      await runState(run, name, { ...state, mode: 'parallel', min_success: 0, steps: Object.fromEntries(steps) })
  }
}

function dueIn(missing: readonly Missing[]): ReadonlySet<string> {
  const due = new Set(missing.flatMap(({ name, status }) => (status === 'ready' ? [name] : [])))
  const isInTheWay = (need: string) => !due.has(need) && missing.some(({ name }) => name === need)
  for (let before = -1; before !== due.size;) {
    before = due.size
    for (const { name, status, step } of missing)
      if (status === undefined && step.needs.some((need) => due.has(need)) && !step.needs.some(isInTheWay))
        due.add(name)
  }
  return due
}

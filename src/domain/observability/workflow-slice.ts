import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { StepRecord } from '../steps/events.ts'
import type { ErrorState, Intent } from '../workflow/events.ts'

interface StepShape {
  readonly needs: readonly string[]
}

/** What is read of the workflow here; absent where nothing was defined or begun. */
export interface WorkflowShape {
  readonly name: string
  readonly definition: {
    readonly states: Readonly<Record<string, { readonly steps: Readonly<Record<string, StepShape>> }>>
  }
  readonly current: string
  readonly terminal: string
  readonly completed_at: string | null
  readonly intent: Intent | null
  readonly error: ErrorState | null
  readonly history: readonly { readonly to: string; readonly at: string }[]
}

export const workflowIn = (root: Readonly<Tree>): WorkflowShape | undefined => sliceOf<WorkflowShape>(root, 'workflow')

/** Of the state that it stands in. */
export function ownSteps({ definition, current }: WorkflowShape) {
  return Object.hasOwn(definition.states, current) ? (definition.states[current]?.steps ?? {}) : {}
}

export const isGate = ({ command }: StepRecord): boolean => command === null

/** The steps that those of the state it stands in still need, with what those need in turn. */
export function stillNeeded(workflow: WorkflowShape, steps: readonly StepRecord[]): ReadonlySet<string> {
  const known = new Map(Object.values(workflow.definition.states).flatMap((state) => Object.entries(state.steps)))
  const finished = new Set(steps.flatMap(({ name, status }) => (status === 'finished' ? [name] : [])))
  const needsOf = ([name, { needs }]: readonly [string, StepShape]) => (finished.has(name) ? [] : needs)
  const needed = new Set(Object.entries(ownSteps(workflow)).flatMap(needsOf))
  // It grows while it is gone through.
  for (const name of needed) {
    const step = known.get(name)
    for (const need of step === undefined ? [] : needsOf([name, step])) needed.add(need)
  }
  return needed
}

/** Its end has neither steps nor a gate, or whoever ran it has been through them. */
export function isFinished(workflow: WorkflowShape, steps: readonly StepRecord[]): boolean {
  const { completed_at, current, terminal } = workflow
  const hasGate = steps.some((step) => isGate(step) && step.state === current)
  return completed_at !== null || (current === terminal && Object.keys(ownSteps(workflow)).length === 0 && !hasGate)
}

import type { Definition, StateDefinition, StepDefinition } from '../domain/workflow/definition.ts'
import { workflowOf } from '../domain/workflow/workflow.ts'
import type { RunEvent, RunResult, Spending } from '../kernel/work/runner.ts'
import type { Worker } from '../kernel/work/worker.ts'
import { addSpending, NO_SPENDING, treeOf, type Ground } from './ground.ts'
import type { Notice } from './notice.ts'
import type { Attempt, Work } from './work.ts'

/** A worker that outlived the runner that started it. */
export interface Adopted {
  readonly work: Work
  readonly attempt: Attempt
  readonly worker: Worker
}

/** One run: its ground, and what is known of it so far. */
export interface Run extends Ground {
  readonly definition: Definition
  /** Most steps at once; a state may ask for fewer. */
  readonly maxParallel: number
  readonly follow: boolean
  /** Told when the run is to stop cleanly. */
  readonly stop: Notice
  /** Aborts when the session was taken by another runner. */
  readonly lost: AbortSignal
  readonly emit: (event: RunEvent) => void
  readonly tally: Tally
  /** Steps that are finished as this run found them, and need no word. */
  readonly kept: Set<string>
  /** Set where another runner drives: true once there is nothing to take here any more. */
  readonly joined?: (() => boolean) | undefined
  /** Where it drives beside a runner of its own that takes steps: the lease of that one. */
  readonly beside?: number | undefined
  /** By step. */
  readonly adopted: Map<string, Adopted>
}

/** What became of the steps of a run. The last word on a step counts. */
export class Tally {
  readonly #fates = new Map<string, Fate>()
  spent: Spending = NO_SPENDING
  saved: Spending = NO_SPENDING

  note(step: string, fate: Fate): void {
    this.#fates.delete(step)
    this.#fates.set(step, fate)
  }

  /** It stands in nobody's way any more. */
  forget(step: string): void {
    this.#fates.delete(step)
  }

  spend(cost: Spending): void {
    this.spent = addSpending(this.spent, cost)
  }

  save(cost: Spending): void {
    this.saved = addSpending(this.saved, cost)
  }

  /** What another run did besides. */
  add({ steps, spent, saved }: Pick<RunResult, 'steps' | 'spent' | 'saved'>): void {
    for (const fate of FATES) for (const step of steps[fate]) this.note(step, fate)
    this.spend(spent)
    this.save(saved)
  }

  has(step: string, fate: Fate): boolean {
    return this.#fates.get(step) === fate
  }

  names(fate: Fate): readonly string[] {
    return [...this.#fates].filter(([, each]) => each === fate).map(([step]) => step)
  }
}

const FATES = ['ran', 'reused', 'failed', 'parked', 'skipped'] as const
export type Fate = (typeof FATES)[number]

export const DEFAULT_PARALLEL = 8

/** A step, and the state it belongs to. */
export interface Placed {
  readonly name: string
  readonly state: string
  readonly step: StepDefinition
}

/** Every step of a definition. */
export function* stepsIn({ states }: Definition): Generator<Placed> {
  for (const [state, { steps }] of Object.entries(states)) {
    for (const [name, step] of Object.entries(steps)) yield { name, state, step }
  }
}

export function stateIn({ states }: Definition, name: string): StateDefinition | undefined {
  return Object.hasOwn(states, name) ? states[name] : undefined
}

/** Whether the workflow has left that state in this pass, and stands in another. */
export function isBehind(run: Run, state: string): boolean {
  const { current, completed } = workflowOf(treeOf(run.session))
  return state !== current && completed.includes(state)
}

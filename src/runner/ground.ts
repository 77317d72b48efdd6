import { findRecord, stepsOf } from '../domain/steps/steps.ts'
import type { StepRecord, StepsSlice } from '../domain/steps/events.ts'
import { EngineError } from '../kernel/error.ts'
import type { Answer } from '../kernel/answer.ts'
import { sliceOf, type Tree } from '../kernel/module.ts'
import type { Spending } from '../kernel/runner.ts'
import type { Session } from '../kernel/session.ts'
import type { Bound } from './bound.ts'
import type { RunnerDeps } from './ports.ts'

/** What every attempt stands on. */
export interface Ground {
  readonly deps: RunnerDeps
  readonly session: Session
  readonly actor: string
  /** Token of the session's lease; undefined for work outside a workflow. */
  readonly lease: number | undefined
  /** How long what it starts may go on; undefined where that outlives its runner. */
  readonly bound?: Bound | undefined
}

export const NO_SPENDING: Spending = { tokens: 0, cost_usd: 0, duration_ms: 0 }

export function addSpending(a: Spending, b: Spending): Spending {
  return { tokens: a.tokens + b.tokens, cost_usd: a.cost_usd + b.cost_usd, duration_ms: a.duration_ms + b.duration_ms }
}

export const treeOf = (session: Session): Readonly<Tree> => session.stored

export const ledgerOf = (session: Session): StepsSlice | undefined => stepsOf(treeOf(session))

export const stepNamed = (session: Session, name: string): StepRecord | undefined => findRecord(ledgerOf(session), name)

export function outputOf(session: Session, name: string): string | undefined {
  const outputs = sliceOf<Readonly<Record<string, string>>>(treeOf(session), 'outputs') ?? {}
  return Object.hasOwn(outputs, name) ? outputs[name] : undefined
}

export const now = (ground: Pick<Ground, 'deps'>): number => ground.deps.workspace.kernel.host.now()

/** For answers that are yes unless something outside the runner's rules is wrong. */
export function accepted(answer: Answer): Answer & { readonly kind: 'accepted' } {
  if (answer.kind === 'accepted') return answer
  throw new EngineError(answer.code, answer.message, answer)
}

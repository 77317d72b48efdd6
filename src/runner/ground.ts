import { barred } from '../domain/session/life.ts'
import { sessionOf } from '../domain/session/session.ts'
import type { Command, StepRecord, StepsSlice } from '../domain/steps/events.ts'
import { recordNamed, recordOf, runnerOf, stepsOf } from '../domain/steps/steps.ts'
import { nameOf } from '../kernel/about-session.ts'
import { failure } from '../kernel/decision.ts'
import { EngineError } from '../kernel/error.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Session } from '../kernel/session.ts'
import { sliceOf, type Tree } from '../kernel/state/module.ts'
import { quoted } from '../kernel/text/shell-word.ts'
import type { Spending } from '../kernel/work/runner.ts'
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

export const stepNamed = (session: Session, name: string): StepRecord | undefined =>
  recordNamed(ledgerOf(session), name)

/** Nothing can be recorded in it any more, and nobody takes over what runs for it. */
export const hasEnded = (session: Session): boolean => sessionOf(treeOf(session))?.lifecycle.status === 'terminated'

/** Throws what any write to a session that has ended would be told. */
export function assertGoesOn(session: Session): void {
  const root = sessionOf(treeOf(session))
  const no = root !== undefined && hasEnded(session) ? barred(root, 'runner.renew') : undefined
  if (no !== undefined) throw failure(no)
}

export function outputOf(session: Session, name: string): string | undefined {
  const outputs = sliceOf<Readonly<Record<string, string>>>(treeOf(session), 'outputs') ?? {}
  return Object.hasOwn(outputs, name) ? outputs[name] : undefined
}

/** `kept`: as the log has it, without what looks like a secret. */
export function isSameCommand({ redactor }: Kernel, kept: Command, given: Command): boolean {
  const text = JSON.stringify(kept)
  return text === JSON.stringify(given) || text === JSON.stringify(redactor?.value(given, new Map()))
}

/** What to type about this session, also where it is not the only one. */
export const toType = (session: Session, ...words: readonly string[]): string =>
  ['steadfold', ...words, '--session', nameOf(session)].map(quoted).join(' ')

export const now = (ground: Pick<Ground, 'deps'>): number => ground.deps.workspace.kernel.host.now()

/** Whether it drives the session or has joined, by the log as last read; who works outside a workflow needs no lease. */
function isAmongRunners({ session, lease }: Ground): boolean {
  return (
    lease === undefined ||
    sessionOf(treeOf(session))?.lease?.token === lease ||
    runnerOf(ledgerOf(session), lease) !== undefined
  )
}

/** Throws LEASE_LOST for a runner whose place another has taken. */
export function assertAmongRunners(ground: Ground): void {
  if (isAmongRunners(ground)) return
  throw new EngineError('LEASE_LOST', `lease ${ground.lease} is over; another runner may hold the session`, {
    hint: 'run again to take over or join',
  })
}

/** How long one that is to be stopped waits for a store that does not answer. */
const PATIENCE_MS = 1000

/** Whether an attempt is still this runner's to stop: another that took its place may have adopted it since. */
export async function isStillOurs(ground: Ground, key: string, token: number): Promise<boolean> {
  const { session, lease = null } = ground
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)))
  await Promise.race([session.refresh().catch(() => undefined), patience])
  clearTimeout(timer)
  const { status, attempt } = recordOf(ledgerOf(session), key) ?? {}
  return isAmongRunners(ground) && status === 'running' && attempt?.token === token && attempt.lease === lease
}

/* Who takes steps of a workflow beside the runner that drives it: T9 of steps.ts. */
import type { ProcessRef } from '../../kernel/care/recovery.ts'
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { Lease } from '../session/events.ts'
import type { Runner, StepEvent, StepRecord } from './events.ts'
import { runnerOf, stepsOf } from './steps.ts'

type Decided = Accepted<StepEvent> | Refusal
type State = Readonly<Tree>

interface Held {
  readonly token: number
}

/** Those who let their lease end leave with it: what they had begun is settled by the driver. */
export function decideJoin(
  root: State,
  { process: owner, ttl_ms }: { readonly process: ProcessRef; readonly ttl_ms: number },
  { now, seq }: Context,
): Decided {
  const over = Object.values(stepsOf(root)?.runners ?? {}).filter(({ expires }) => expires <= now)
  return accept(...over.map(({ token }): StepEvent => ({ type: 'runner.left', data: { token, reason: 'lost' } })), {
    type: 'runner.joined',
    data: { token: seq, process: owner, expires: now + ttl_ms },
  })
}

export function decideRenew(
  root: State,
  { token, ttl_ms }: Held & { readonly ttl_ms: number },
  { now }: Context,
): Decided {
  const runner = runnerOf(stepsOf(root), token)
  if (runner === undefined || runner.expires <= now) return over(token)
  return accept({ type: 'runner.renewed', data: { token, expires: now + ttl_ms } })
}

/** Also by whoever finds it lost; its steps are settled one by one. */
export function decideLeave(root: State, { token }: Held, { now }: Context): Decided {
  const runner = runnerOf(stepsOf(root), token)
  if (runner === undefined) return accept()
  return accept({ type: 'runner.left', data: { token, reason: runner.expires > now ? 'done' : 'lost' } })
}

export interface RunnerRow {
  readonly token: number
  readonly host: string
  readonly pid: number
  /** It drives the workflow; the others take steps of it. */
  readonly drives: boolean
  /** By the clock of the store, when its lease ends unless it is renewed. */
  readonly expires: number
  /** Names of the steps that run under its lease. */
  readonly running: readonly string[]
}

/** Whoever drives the session comes first, then those who joined, in their order. */
export function runnerRows(root: State): readonly RunnerRow[] {
  const lease = sliceOf<{ readonly lease: Lease | null }>(root, 'session')?.lease ?? null
  const joined = Object.values(stepsOf(root)?.runners ?? {})
  const driver = lease === null || lease.process === null ? [] : [row(root, lease, lease.process)]
  return [
    ...driver.map((each) => ({ ...each, drives: true })),
    ...joined.map((runner) => row(root, runner, runner.process)),
  ]
}

/** Steps that run under a lease: of a lost runner, what is to be settled. */
export const stepsUnder = (root: State, lease: number): readonly StepRecord[] =>
  Object.values(stepsOf(root)?.ledger ?? {}).filter(
    ({ status, attempt }) => status === 'running' && attempt?.lease === lease,
  )

function row(root: State, { token, expires }: Pick<Runner, 'token' | 'expires'>, { host, pid }: ProcessRef): RunnerRow {
  return { token, host, pid, drives: false, expires, running: stepsUnder(root, token).map(({ name }) => name) }
}

const over = (token: number): Refusal =>
  refuse('LEASE_LOST', `runner ${token} is not among the runners of this session any more`, {
    hint: 'join again: steadfold run --worker',
  })

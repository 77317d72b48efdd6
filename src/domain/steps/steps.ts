/*
 * The ledger of paid work: what was started, by whom, and what came of it.
 *
 *   absent ──start──► running ──finish──► finished (for good)
 *              ▲         │ fail
 *              │         ▼
 *              ├────── failed ──park──► parked ──release──► ready
 *              └──────────────────retry──────────────────────┘
 *
 * T1. A finished key is never started again; its result is taken.
 * T2. At most one attempt of a key is running.
 * T3. The token of an attempt is the sequence number of the commit that started it, so it only grows; who reports with
 *     another token than that of the running attempt is refused.
 * T4. A terminal failure is parked in the same commit; so is an unknown one, unless the step may run again.
 * T5. Only a release or retry that somebody asks for leads out of parked.
 * T6. Who says it holds the session's lease, or has joined, and does not or has not, starts nothing and adopts nothing.
 * T7. A name stands for one piece of work: when it gets another key, what was not finished under the old one is dropped,
 *     but for its cost.
 * T8. A gate, which is a step without a command, is passed by a person alone.
 * T9. A runner that joined starts steps while its own lease lasts, by the clock of the store; one that let it end has left.
 * T10. A worker is adopted from the runner it was seen with: of two who find that one gone, one adopts.
 * T11. What runs under no lease stays running where its host is gone: a person who says that it is parks it.
 * T12. A name that a step of the workflow has stays that step's: work outside the workflow of the same name is found by its key.
 * T13. A gate is passed while the workflow stands before its state; when it has left, or is completed, nobody waits for it.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Meta, type Tree } from '../../kernel/state/module.ts'
import { CLOSED } from './breaker.ts'
import type {
  Breaker,
  Cost,
  Failure,
  Result,
  Runner,
  Started,
  StepEvent,
  StepRecord,
  StepsSlice,
  StepStatus,
} from './events.ts'

interface Reported {
  readonly key: string
  readonly token: number
}

interface Named {
  readonly key: string
  readonly name: string
  readonly state: string | null
}

const ENDS_WITH_ITS_KEY: ReadonlySet<StepStatus> = new Set(['failed', 'parked', 'ready'])

const NOTHING: Cost = { tokens: 0, cost_usd: 0, duration_ms: 0 }

export const stepsModule = defineModule<StepsSlice, StepEvent>({
  slice: 'steps',
  initial: () => ({ ledger: {}, names: {}, breakers: {}, runners: {} }),
  evolve: {
    'step.started': (slice, data, edit, meta) => start(slice, edit.own(data), edit, meta),
    'step.adopted': (slice, { key, worker, lease = null }, edit) =>
      change(slice, key, edit, (record) => ({
        attempt: record.attempt === null ? null : { ...record.attempt, worker: edit.own(worker), lease },
      })),
    'step.finished': (slice, data, edit, meta) => finish(slice, edit.own(data), edit, meta),
    'step.failed': (slice, data, edit) => fail(slice, edit.own(data), edit),
    'step.parked': (slice, { key, name, state, reason }, edit) => {
      const record = recordOf(slice, key) ?? begun(slice, { key, name, state }, edit)
      edit.set(slice.ledger, key, { ...record, status: 'parked', reason })
      call(slice, record, edit)
      tryNoMore(slice, record, edit)
    },
    'step.released': (slice, { key }, edit) =>
      change(slice, key, edit, () => ({ status: 'ready', reason: null, failures: 0 })),
    'step.retried': (slice, { key }, edit) =>
      change(slice, key, edit, () => ({ status: 'ready', reason: null, failures: 0 })),
    'step.reused': (slice, { key, name, state }, edit) => {
      change(slice, key, edit, (record) => ({ reused: record.reused + 1, name, state }))
      edit.set(slice.names, name, key)
    },
    'step.breaker-opened': (slice, { family, until }, edit) =>
      edit.set(slice.breakers, family, { ...breakerOf(slice, family), successes: 0, until, probe: null }),
    'step.breaker-closed': (slice, { family }, edit) => edit.remove(slice.breakers, family),
    'runner.joined': (slice, data, edit, { at }) =>
      edit.set(slice.runners, String(data.token), { ...edit.own(data), joined_at: at }),
    'runner.renewed': (slice, { token, expires }, edit) => {
      const runner = runnerOf(slice, token)
      if (runner !== undefined) edit.set(slice.runners, String(token), { ...runner, expires })
    },
    'runner.left': (slice, { token }, edit) => edit.remove(slice.runners, String(token)),
  },
})

export const stepsOf = (root: Readonly<Tree>): StepsSlice | undefined => sliceOf<StepsSlice>(root, 'steps')

export function recordOf(slice: StepsSlice | undefined, key: string): StepRecord | undefined {
  return slice !== undefined && Object.hasOwn(slice.ledger, key) ? slice.ledger[key] : undefined
}

/** Of the step of that very name. Asked for each step of a run, so it looks at nothing else. */
export function recordNamed(slice: StepsSlice | undefined, name: string): StepRecord | undefined {
  const key = slice !== undefined && Object.hasOwn(slice.names, name) ? slice.names[name] : undefined
  return key === undefined ? undefined : recordOf(slice, key)
}

/** The record a person means: by name, by key, or by the beginning of a key. */
export function findRecord(slice: StepsSlice | undefined, step: string): StepRecord | undefined {
  if (slice === undefined) return undefined
  const exact = recordNamed(slice, step) ?? recordOf(slice, step)
  if (exact !== undefined || step.length < 8) return exact
  const begun = Object.keys(slice.ledger).filter((key) => key.startsWith(step))
  return begun.length === 1 ? recordOf(slice, begun[0] ?? '') : undefined
}

export function breakerOf(slice: StepsSlice | undefined, family: string): Breaker {
  return (slice !== undefined && Object.hasOwn(slice.breakers, family) ? slice.breakers[family] : undefined) ?? CLOSED
}

export const runnerOf = (slice: StepsSlice | undefined, token: number): Runner | undefined =>
  slice !== undefined && Object.hasOwn(slice.runners, token) ? slice.runners[token] : undefined

/** T7 */
function begun(slice: StepsSlice, { key, name, state }: Named, edit: Edit): StepRecord {
  const last = Object.hasOwn(slice.names, name) ? recordOf(slice, slice.names[name] ?? '') : undefined
  const dropped = last !== undefined && last.state === state && ENDS_WITH_ITS_KEY.has(last.status)
  if (dropped) edit.remove(slice.ledger, last.key)
  return { ...fresh({ key, name, state }), spent: dropped ? last.spent : NOTHING }
}

function fresh({ key, name, state }: Named): StepRecord {
  return {
    key,
    name,
    state,
    status: 'ready',
    command: null,
    family: '',
    repeatable: false,
    attempts: 0,
    failures: 0,
    attempt: null,
    result: null,
    failure: null,
    reason: null,
    spent: NOTHING,
    finished_at: null,
    reused: 0,
  }
}

function change(slice: StepsSlice, key: string, edit: Edit, update: (record: StepRecord) => Partial<StepRecord>): void {
  const record = recordOf(slice, key)
  if (record !== undefined) edit.set(slice.ledger, key, { ...record, ...update(record) })
}

function call(slice: StepsSlice, { key, name, state }: Named, edit: Edit): void {
  if (state !== null || !isOfWorkflow(slice, name)) edit.set(slice.names, name, key)
}

/** T12 */
export const isOfWorkflow = (slice: StepsSlice | undefined, name: string): boolean =>
  (recordNamed(slice, name)?.state ?? null) !== null

function start(slice: StepsSlice, data: Started, edit: Edit, { at }: Meta): void {
  const { key, name, state, token, attempt: number, command, family, repeatable, worker, lease = null } = data
  const before = recordOf(slice, key) ?? begun(slice, data, edit)
  const attempt = { token, number, started_at: at, worker, lease }
  edit.set(slice.ledger, key, {
    ...before,
    name,
    state,
    status: 'running',
    command,
    family,
    repeatable,
    attempts: number,
    attempt,
    reason: null,
  })
  call(slice, { key, name, state }, edit)
  const breaker = breakerOf(slice, family)
  if (breaker.until !== null) edit.set(slice.breakers, family, { ...breaker, probe: key })
}

function finish(slice: StepsSlice, data: Reported & Result, edit: Edit, { at }: Meta): void {
  const { key, token, ...result } = data
  if (recordOf(slice, key)?.attempt?.token !== token) return
  change(slice, key, edit, (record) => ({
    status: 'finished',
    result,
    failure: null,
    reason: null,
    failures: 0,
    spent: add(record.spent, result),
    finished_at: at,
  }))
  const family = recordOf(slice, key)?.family ?? ''
  const { until, successes } = breakerOf(slice, family)
  if (until !== null) edit.set(slice.breakers, family, { failures: 0, successes: successes + 1, until, probe: null })
  else if (Object.hasOwn(slice.breakers, family)) edit.remove(slice.breakers, family)
}

function fail(slice: StepsSlice, data: Reported & Failure, edit: Edit): void {
  const { key, token, ...failure } = data
  if (recordOf(slice, key)?.attempt?.token !== token) return
  change(slice, key, edit, (record) => ({
    status: 'failed',
    failure,
    failures: record.failures + (failure.interrupted ? 0 : 1),
    spent: add(record.spent, failure),
  }))
  const family = recordOf(slice, key)?.family ?? ''
  const breaker = breakerOf(slice, family)
  if (tells(failure)) edit.set(slice.breakers, family, { ...breaker, failures: breaker.failures + 1, probe: null })
  else tryNoMore(slice, { key, family }, edit)
}

/** Another attempt of its family may try again. */
function tryNoMore(slice: StepsSlice, { key, family }: Pick<StepRecord, 'key' | 'family'>, edit: Edit): void {
  const breaker = breakerOf(slice, family)
  if (breaker.probe === key) edit.set(slice.breakers, family, { ...breaker, probe: null })
}

/** Whether a failure says anything about its family: not when the runner died or was stopped. */
export const tells = (failure: Pick<Failure, 'class' | 'interrupted'>): boolean =>
  failure.class !== 'unknown' && !failure.interrupted

const add = (a: Cost, b: Cost): Cost => ({
  tokens: a.tokens + b.tokens,
  cost_usd: a.cost_usd + b.cost_usd,
  duration_ms: a.duration_ms + b.duration_ms,
})

/* What may happen to a step in which status: one function an operation, T1–T6, T8–T11 and T13 of steps.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { OutputsEvent } from '../outputs/events.ts'
import type { Lease } from '../session/events.ts'
import { hasLeft, type Whereabouts } from '../workflow/events.ts'
import { closes, familyOf, hold, opens } from './breaker.ts'
import type { Command, Failure, Result, StepEvent, StepRecord, Worker } from './events.ts'
import { handedBack, noMore } from './handed-back.ts'
import { breakerOf, findRecord, recordOf, runnerOf, stepsOf, tells } from './steps.ts'

type Decided = Accepted<StepEvent> | Refusal
type State = Readonly<Tree>

interface Named {
  readonly key: string
  readonly name: string
  readonly state: string | null
}

interface Of {
  readonly key: string
  readonly token: number
}

interface Start extends Named {
  readonly command: Command
  readonly repeatable: boolean
  readonly worker: Worker | null
  readonly lease?: number | undefined
  /** Most steps of its state at once, on all hosts together. */
  readonly most?: number | undefined
}

export function decideStart(root: State, input: Start, { now, seq }: Context): Decided {
  const { key, name, state, command, repeatable, worker, lease = null } = input
  const record = recordOf(stepsOf(root), key)
  const family = familyOf(command)
  const refusal =
    staleLease(root, input.lease, now) ?? notStartable(record) ?? crowded(root, input) ?? held(root, family, now)
  if (refusal !== undefined) return refusal
  const attempt = (record?.attempts ?? 0) + 1
  return accept({
    type: 'step.started',
    data: { key, name, state, token: seq, attempt, command, family, repeatable, worker, lease },
  })
}

interface Adopt extends Of {
  readonly worker: Worker
  readonly lease?: number | undefined
  /** The runner that is gone. */
  readonly from?: Worker['runner'] | undefined
}

export function decideAdopt(root: State, { from, lease, ...of }: Adopt, { now }: Context): Decided {
  const refusal = staleLease(root, lease, now) ?? notCurrent(root, of) ?? adoptedBefore(root, of, from)
  return refusal ?? accept({ type: 'step.adopted', data: { ...of, lease: lease ?? null } })
}

type Handing = Accepted<StepEvent | OutputsEvent> | Refusal

export function decideFinish(root: State, input: Of & Result): Handing {
  const record = recordOf(stepsOf(root), input.key)
  // The same report twice, such as from a runner and from the one that took over.
  if (record?.status === 'finished' && record.attempt?.token === input.token) return accept()
  const refusal = notCurrent(root, input)
  if (refusal !== undefined || record === undefined) return refusal ?? accept()
  const finished: StepEvent = { type: 'step.finished', data: input }
  const { family, state } = record
  const gone = state === null ? [] : noMore(root, record, input.outputs)
  return closes(breakerOf(stepsOf(root), family))
    ? accept(...gone, finished, { type: 'step.breaker-closed', data: { family } })
    : accept(...gone, finished)
}

export function decideFail(
  root: State,
  input: Of & Failure & { readonly breaker_ms: number },
  { now }: Context,
): Decided {
  const record = recordOf(stepsOf(root), input.key)
  const refusal = notCurrent(root, input)
  if (refusal !== undefined || record === undefined) return refusal ?? accept()
  const { breaker_ms, ...data } = input
  const { key, name, state, family } = record
  const events: StepEvent[] = [{ type: 'step.failed', data }]
  const reason = parkingReason(record, input)
  if (reason !== undefined) events.push({ type: 'step.parked', data: { key, name, state, reason } })
  if (tells(input) && opens(breakerOf(stepsOf(root), family))) {
    events.push({ type: 'step.breaker-opened', data: { family, until: now + breaker_ms } })
  }
  return accept(...events)
}

export function decideReuse(root: State, { key, name, state }: Named): Handing {
  const record = recordOf(stepsOf(root), key)
  if (record?.status === 'finished')
    return accept(...handedBack(root, record, name), { type: 'step.reused', data: { key, name, state } })
  return record === undefined ? notFound(name) : misplaced(record, 'has no result to take', 'let it finish first')
}

export function decideGate(root: State, data: Named & { readonly reason: string }): Decided {
  // A question that was asked, or answered, is not asked again.
  return recordOf(stepsOf(root), data.key) === undefined ? accept({ type: 'step.parked', data }) : accept()
}

interface Park {
  readonly step: string
  readonly reason: string
  readonly gone: boolean
}

export function decidePark(root: State, { step, reason, gone }: Park, { actor }: Context): Decided {
  const record = findRecord(stepsOf(root), step)
  if (record === undefined) return notFound(step)
  const { key, name, state, status } = record
  switch (status) {
    case 'parked':
      return accept()
    case 'failed':
    case 'ready':
      return accept({ type: 'step.parked', data: { key, name, state, reason } })
    case 'running':
      return gone && isUnderNoLease(record) && isPerson(actor)
        ? accept({ type: 'step.parked', data: { key, name, state, reason } })
        : misplaced(record, 'cannot be parked', `stop its runner first${isUnderNoLease(record) ? orGone(record) : ''}`)
    case 'finished':
      return misplaced(record, 'cannot be parked', 'its result is kept')
  }
}

export function decideRelease(root: State, { step }: { readonly step: string }, { actor }: Context): Decided {
  const record = findRecord(stepsOf(root), step)
  if (record === undefined) return notFound(step)
  const refusal = record.command === null && record.status === 'parked' ? notPassed(root, record, actor) : undefined
  if (refusal !== undefined) return refusal
  if (record.status === 'parked') return goAhead(root, record, { type: 'step.released', data: { key: record.key } })
  if (record.status === 'ready') return accept()
  return misplaced(
    record,
    'is not parked',
    record.status === 'failed' ? `steadfold step retry ${quoted(record.name)}` : 'steadfold step list',
  )
}

export function decideRetry(root: State, { step }: { readonly step: string }): Decided {
  const record = findRecord(stepsOf(root), step)
  if (record === undefined) return notFound(step)
  if (record.status === 'failed') return goAhead(root, record, { type: 'step.retried', data: { key: record.key } })
  if (record.status === 'ready') return accept()
  const hints = {
    parked: `steadfold step release ${quoted(record.name)}`,
    running: 'wait for it',
    finished: 'its result is kept; other inputs make another step',
  }
  return misplaced(record, 'cannot be retried', hints[record.status])
}

/** Somebody has looked and says go: the breaker, which saved them from paying unseen, is not in their way. */
function goAhead(root: State, { family }: StepRecord, event: StepEvent): Decided {
  return breakerOf(stepsOf(root), family).until === null
    ? accept(event)
    : accept(event, { type: 'step.breaker-closed', data: { family } })
}

/** T11. */
const isUnderNoLease = ({ state, attempt }: StepRecord): boolean => state === null && (attempt?.lease ?? null) === null
const orGone = ({ name }: StepRecord): string => `; if its host is gone: steadfold step park ${quoted(name)} --gone`

/** T8, T13. */
function notPassed(root: State, record: StepRecord, actor: string): Refusal | undefined {
  const { name, reason, state } = record
  const workflow = sliceOf<Whereabouts>(root, 'workflow')
  if (hasLeft(workflow, state)) {
    const why =
      workflow?.completed_at === null
        ? `which the workflow has left for "${workflow.current}"`
        : 'and the workflow is completed'
    const problem = `stands before "${state}", ${why}`
    return misplaced(record, problem, 'it is asked anew on the next way in: steadfold workflow show')
  }
  if (isPerson(actor)) return undefined
  return refuse('NEEDS_PERSON', `only a person passes the gate "${name}": ${reason ?? ''}`, {
    hint: `a person does: steadfold step release ${quoted(name)}`,
  })
}

/** T4. */
function parkingReason(record: StepRecord, failure: Failure): string | undefined {
  if (failure.class === 'terminal') return failure.reason
  return failure.class === 'unknown' && !record.repeatable ? `outcome unknown: ${failure.reason}` : undefined
}

/** T1, T2, T5. */
function notStartable(record: StepRecord | undefined): Refusal | undefined {
  switch (record?.status) {
    case undefined:
    case 'failed':
    case 'ready':
      return undefined
    case 'finished':
      return misplaced(record, 'is not started again', 'take its result: step.reuse')
    case 'running':
      return misplaced(record, 'is not started twice', 'wait for it')
    case 'parked':
      return refuse('NEEDS_PERSON', `step "${record.name}" is parked: ${record.reason ?? ''}`, {
        hint: `steadfold step release ${quoted(record.name)}`,
      })
  }
}

/** T3. */
function notCurrent(root: State, { key, token }: Of): Refusal | undefined {
  const record = recordOf(stepsOf(root), key)
  if (record === undefined) return notFound(key)
  const { name, status, attempt } = record
  if (status === 'running' && attempt?.token === token) return undefined
  return refuse(
    'LEASE_LOST',
    `attempt ${token} of step "${name}" is over: the step is ${status}, its last attempt is ${attempt?.token ?? 'none'}`,
    {
      hint: 'drop the result; what counts is in the ledger',
      details: { step: name, token, current: attempt?.token ?? null, status },
    },
  )
}

/** T10. */
function adoptedBefore(root: State, { key, token }: Of, from: Worker['runner'] | undefined): Refusal | undefined {
  const record = recordOf(stepsOf(root), key)
  const runner = record?.attempt?.worker?.runner ?? null
  if (from === undefined || isSame(runner, from)) return undefined
  return refuse('LEASE_LOST', `attempt ${token} of step "${record?.name ?? key}" was adopted by another runner`, {
    hint: 'leave its worker alone; what counts is in the ledger',
    details: { step: record?.name ?? key, token, runner },
  })
}

function isSame(a: Worker['runner'], b: Worker['runner']): boolean {
  if (a === null || b === null) return a === b
  return (['host', 'boot_id', 'pid_namespace', 'pid', 'started'] as const).every((name) => a[name] === b[name])
}

/** T6, T9. */
function staleLease(root: State, token: number | undefined, now: number): Refusal | undefined {
  const lease = sliceOf<{ readonly lease: Lease | null }>(root, 'session')?.lease
  if (token === undefined || lease?.token === token) return undefined
  if ((runnerOf(stepsOf(root), token)?.expires ?? 0) > now) return undefined
  return refuse('LEASE_LOST', `lease ${token} is over; another runner may hold the session`, {
    hint: 'stop; run again to take over or join',
  })
}

function crowded(root: State, { name, state, most }: Start): Refusal | undefined {
  if (most === undefined) return undefined
  const running = Object.values(stepsOf(root)?.ledger ?? {}).filter(
    (record) => record.status === 'running' && record.state === state,
  )
  if (running.length < most) return undefined
  return refuse('STEP_STATUS_INVALID', `step "${name}" waits: ${running.length} steps of "${state}" run already`, {
    hint: 'wait for one of them',
    details: { step: name, running: running.map((record) => record.name) },
  })
}

function held(root: State, family: string, now: number): Refusal | undefined {
  const why = hold(breakerOf(stepsOf(root), family), now)
  if (why === undefined) return undefined
  const until = 'until' in why ? why.until : null
  return refuse(
    'BREAKER_OPEN',
    `"${family}" failed too often in a row${until === null ? '; one attempt is trying again' : ''}`,
    {
      hint: until === null ? 'wait for that attempt' : `wait ${Math.ceil((until - now) / 1000)} s`,
      details: { family, until },
    },
  )
}

const notFound = (step: string): Refusal =>
  refuse('STEP_NOT_FOUND', `no step "${step}" has begun`, { hint: 'steadfold step list' })

function misplaced(record: StepRecord, problem: string, hint: string): Refusal {
  return refuse('STEP_STATUS_INVALID', `step "${record.name}" is ${record.status} and ${problem}`, {
    hint,
    details: { step: record.name, status: record.status, key: record.key },
  })
}

/*
 * One step, once: takes the result it has, waits for a worker that was adopted, or makes an attempt.
 */
import type { StepRecord } from '../domain/steps/events.ts'
import { recordOf } from '../domain/steps/steps.ts'
import type { Refusal } from '../kernel/decision.ts'
import { EngineError } from '../kernel/error.ts'
import { accepted } from '../kernel/operation/answer.ts'
import type { Spending } from '../kernel/work/runner.ts'
import type { Worker } from '../kernel/work/worker.ts'
import { begin, conclude } from './attempt.ts'
import { runsAgain, type Slot } from './board.ts'
import type { Adopted, Run } from './context.ts'
import { gather, lacksSecret, type Gathered, type Unreadable } from './facts.ts'
import { isStillOurs, ledgerOf, now, stepNamed } from './ground.ts'
import { watchOver } from './limits.ts'
import { warnOfMade } from './made.ts'
import type { Notice } from './notice.ts'
import { byOthers, leftToDriver, visitBegan } from './others.ts'
import { artifactsOf } from './report.ts'
import { savedBy } from './whose.ts'
import type { Attempt, Failed, Outcome, Work, Performed } from './work.ts'

const AGAIN_MS = 200
const NOT_KEPT = 'it holds a secret, which is not in the log: run it from its file'

/** `leave` is told when the worker is to be left to itself; the answer then never comes. */
export async function perform(run: Run, state: string, slot: Slot, leave: Notice): Promise<Performed> {
  const adopted = run.adopted.get(slot.name)
  if (adopted !== undefined) return finishAdopted(run, state, slot, { adopted, leave })
  const others = await byOthers(run, slot)
  if (others !== undefined) return others
  // A worker of another runner that died, found on this host.
  if (run.adopted.has(slot.name)) return perform(run, state, slot, leave)
  const facts = await known(run, slot)
  return 'unreadable' in facts
    ? { kind: 'skipped', reason: facts.unreadable }
    : byFacts(run, { state, slot, leave, facts })
}

interface Known extends Omit<Making, 'work'> {
  readonly facts: Gathered
}

async function byFacts(run: Run, { state, slot, leave, facts }: Known): Promise<Performed> {
  const { key, env, lacks } = facts
  const left = leftToDriver(run, slot, facts)
  if (left !== undefined) return left
  const record = recordOf(ledgerOf(run.session), key)
  if (record?.status === 'finished') return take(run, state, slot, record)
  // What it depends on has changed: the result it had is another step's now.
  if (run.kept.delete(slot.name)) run.tally.save(negative(savedBy(run, slot.name)))
  if (record?.status === 'parked') return { kind: 'parked', reason: record.reason ?? '' }
  if (lacksSecret(slot.step)) return { kind: 'skipped', reason: NOT_KEPT }
  if (lacks !== undefined) return { kind: 'skipped', reason: lacks }
  const { name, step } = slot
  const work: Work = {
    key,
    name,
    state,
    command: step.run,
    env,
    artifacts: artifactsOf(step),
    report: step.report,
    repeatable: step.repeatable,
    timeout_ms: step.timeout_ms,
    most: slot.most,
    prefix: `${name}.`,
  }
  return make(run, { slot, work, state, leave })
}

interface Adopting {
  readonly adopted: Adopted
  readonly leave: Notice
}

async function finishAdopted(run: Run, state: string, slot: Slot, { adopted, leave }: Adopting): Promise<Performed> {
  run.adopted.delete(slot.name)
  const { work, attempt, worker } = adopted
  run.emit({ type: 'step-adopted', step: slot.name, state, attempt: attempt.number, pid: worker.pid })
  const outcome = await attend(run, { slot, work, attempt, worker, state, leave })
  // A result of an older definition is not this step's, which begins like any other.
  if (outcome.kind === 'finished' && (await known(run, slot)).key !== work.key)
    return { kind: 'later', until: now(run) }
  return { kind: 'over', attempt: attempt.number, outcome }
}

/** What it depends on, or why that cannot be told: then this step alone cannot run. */
async function known(run: Run, { name, step }: Slot): Promise<Gathered | Unreadable> {
  const facts = await gather(run, name, step)
  if (facts.key === undefined && run.kept.delete(name)) run.tally.save(negative(savedBy(run, name)))
  return facts
}

/** T1 of the ledger: the result of the same key is this step's result. */
async function take(run: Run, state: string, { name }: Slot, record: StepRecord): Promise<Performed> {
  const { key, result, name: before } = record
  await warnOfMade(run, name, record)
  if (run.kept.delete(name) && before === name) return { kind: 'kept' }
  if (isOwn(run, name, record)) return { kind: 'kept' }
  accepted(await run.session.run('step.reuse', { key, name, state }, { actor: run.actor }))
  const { tokens = 0, cost_usd = 0, duration_ms = 0 } = result ?? {}
  return { kind: 'reused', cost: { tokens, cost_usd, duration_ms } }
}

/** Done by this run in this visit of its state, as before it waited for a person: nothing is saved. */
const isOwn = (run: Run, name: string, record: StepRecord): boolean =>
  run.tally.has(name, 'ran') &&
  stepNamed(run.session, name) === record &&
  (record.attempt?.token ?? 0) > visitBegan(run)

const negative = ({ tokens, cost_usd, duration_ms }: Spending): Spending => ({
  tokens: -tokens,
  cost_usd: -cost_usd,
  duration_ms: -duration_ms,
})

interface Making {
  readonly slot: Slot
  readonly work: Work
  readonly state: string
  readonly leave: Notice
}

async function make(run: Run, making: Making): Promise<Performed> {
  const { work, state } = making
  const step = work.name
  const onOutput = run.follow
    ? (stream: 'stdout' | 'stderr', bytes: Uint8Array) => run.emit({ type: 'step-output', step, state, stream, bytes })
    : undefined
  const begun = await begin(run, work, { onOutput })
  if (begun.kind === 'refused') return notBegun(run, begun)
  const { attempt, worker } = begun
  run.emit({ type: 'step-started', step, state, attempt: attempt.number, pid: worker.pid })
  return { kind: 'over', attempt: attempt.number, outcome: await attend(run, { ...making, attempt, worker }) }
}

function notBegun(run: Run, refusal: Refusal): Performed {
  const { until, family } = refusal.details ?? {}
  switch (refusal.code) {
    case 'BREAKER_OPEN':
      return {
        kind: 'later',
        until: typeof until === 'number' ? until : now(run) + AGAIN_MS,
        held: typeof family === 'string' ? family : undefined,
      }
    case 'STEP_STATUS_INVALID':
      return { kind: 'later', until: now(run) + AGAIN_MS }
    case 'NEEDS_PERSON':
      return { kind: 'parked', reason: refusal.message }
    default:
      throw new EngineError(refusal.code, refusal.message, refusal)
  }
}

interface Attending extends Omit<Making, 'slot'> {
  /** Undefined where the definition has no such step any more: it has no time limit then, and is not tried again. */
  readonly slot: Slot | undefined
  readonly attempt: Attempt
  readonly worker: Worker
}

/** Waits for a worker within its time, and records what came of it. */
export async function attend(run: Run, { slot, work, attempt, worker, state, leave }: Attending): Promise<Outcome> {
  const tell = (signal: 'SIGTERM' | 'SIGKILL', reason: string) =>
    run.emit({ type: 'step-stopping', step: work.name, state, signal, reason })
  let forget = () => {}
  let lose = () => {}
  const left = new Promise<never>((_, reject) => {
    lose = () => {
      worker.detach()
      reject(new EngineError('LEASE_LOST', `step ${work.name} is left to itself`))
    }
    forget = leave.on(lose)
  })
  const isOurs = async () => {
    const ours = await isStillOurs(run, work.key, attempt.token)
    if (!ours) lose()
    return ours
  }
  const over = watchOver(worker, {
    timeout_ms: work.timeout_ms,
    scale: run.deps.scale,
    stop: run.stop,
    isOurs,
    tell,
  })
  const unbind = run.bound?.watch(worker)
  // Adopted from one whose workers end with its lease by one whose workers do not.
  if (run.bound === undefined) worker.extend('for good')
  try {
    const again = (failure: Failed) => slot !== undefined && !run.stop.told && runsAgain(slot, failure)
    return await conclude(run, { ...work, again }, attempt, await Promise.race([worker.ended, left]))
  } finally {
    over()
    unbind?.()
    forget()
  }
}

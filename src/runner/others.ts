/*
 * Steps that other runners work on: what the ledger says of them, as seen from one run.
 *
 * O1. A runner that joined takes only what nobody has begun, or what was released to begin again; retries, reuse and whatever
 *     needs a word are the driver's.
 * O2. The driver counts what others finished or failed in this visit of a state as its own, but for what is counted beside it.
 * O3. A runner is lost when its lease is over, or its process is gone by evidence; the driver settles what it left.
 */
import type { StepRecord } from '../domain/steps/events.ts'
import { stepsUnder } from '../domain/steps/runners.ts'
import { recordOf } from '../domain/steps/steps.ts'
import { workflowOf } from '../domain/workflow/workflow.ts'
import { accepted } from '../kernel/operation/answer.ts'
import type { Slot } from './board.ts'
import type { Run } from './context.ts'
import { lacksSecret, type Gathered } from './facts.ts'
import { assertAmongRunners, ledgerOf, NO_SPENDING, now, stepNamed, treeOf } from './ground.ts'
import { settleOne } from './settle.ts'
import { isAtWork, isCounted } from './whose.ts'
import type { Performed } from './work.ts'

/** How often the log is asked what others did. */
const LOOK_MS = 200

/** Undefined when the step is this run's to begin. */
export async function byOthers(run: Run, slot: Slot): Promise<Performed | undefined> {
  if (run.joined !== undefined) return asJoined(run, slot)
  const before = foreign(run, slot)
  if (before === undefined) return undefined
  if (before.status === 'running') await run.session.refresh()
  awaitOther(run, slot)
  const record = foreign(run, slot)
  if (record?.status === 'running') return (await settleLost(run, record)) ? taken(run, slot, record) : later(run)
  return record === undefined ? undefined : told(run, slot, record)
}

/** O3: looked after by the driver also while it has no place free. */
export const isElsewhere = (run: Run, slot: Slot): boolean =>
  run.joined === undefined && foreign(run, slot)?.status === 'running'

/** Notes the attempt of another runner that is under way. */
export function awaitOther(run: Run, slot: Slot): void {
  const record = foreign(run, slot)
  if (record?.status === 'running') slot.awaited = record.attempt?.token ?? 0
}

/** O1 */
async function asJoined(run: Run, { name, step }: Slot): Promise<Performed | undefined> {
  // What is not begun here only others change.
  await run.session.refresh()
  const status = stepNamed(run.session, name)?.status
  if (status !== 'finished' && lacksSecret(step)) return later(run)
  return status === undefined || status === 'ready' || status === 'finished' ? undefined : later(run)
}

/** O1, once the facts of the step are known: undefined when it is to begin here. */
export function leftToDriver(run: Run, slot: Slot, { key, lacks }: Gathered): Performed | undefined {
  if (run.joined === undefined) return undefined
  const known = recordOf(ledgerOf(run.session), key)
  const last = stepNamed(run.session, slot.name)
  // Until the driver has taken it, its outputs are those of other work.
  if (known?.status === 'finished') return known === last ? { kind: 'kept' } : later(run)
  const begun = known !== undefined && known.status !== 'ready'
  return begun || lacks !== undefined || last?.status === 'finished' ? later(run) : undefined
}

/** What another runner that joined has under its name. */
function foreign({ session, lease }: Run, { name }: Slot): StepRecord | undefined {
  const record = stepNamed(session, name)
  const by = record?.attempt?.lease ?? lease
  return by === lease ? undefined : record
}

/** O2: once for each attempt. */
function told(run: Run, slot: Slot, { status, attempt, result, failure }: StepRecord): Performed | undefined {
  if (attempt === null || slot.seen >= attempt.token) return undefined
  if (attempt.token <= visitBegan(run) && attempt.token !== slot.awaited) return undefined
  slot.seen = attempt.token
  const counted = isCounted(run, attempt.lease)
  if (status === 'finished' && result !== null)
    return counted
      ? { kind: 'kept' }
      : { kind: 'over', attempt: attempt.number, outcome: { kind: 'finished', ...result } }
  if (status !== 'failed' || failure === null) return undefined
  const { class: kind, reason, exit, interrupted, again = false, ...spent } = failure
  const outcome = { kind: 'failed' as const, class: kind, reason, exit, interrupted, again, parked: false, tail: '' }
  return { kind: 'over', attempt: attempt.number, outcome: { ...outcome, spent: counted ? NO_SPENDING : spent } }
}

/** Sequence number behind which the state was entered, or this run began. */
export const visitBegan = ({ session, lease = 0 }: Run): number =>
  Math.max(workflowOf(treeOf(session)).history.at(-1)?.seq ?? 0, lease)

/** Undefined when its worker lives, and is waited for; else it is this run's, when there is a place for it. */
function taken(run: Run, slot: Slot, { attempt }: StepRecord): Performed | undefined {
  if (run.adopted.has(slot.name)) return undefined
  slot.seen = attempt?.token ?? 0
  return { kind: 'later', until: now(run) }
}

/** O3: false while its runner may be at work. What is under another lease may be of one that took this run's place. */
async function settleLost(run: Run, record: StepRecord): Promise<boolean> {
  assertAmongRunners(run)
  const lease = record.attempt?.lease ?? undefined
  if (lease === undefined || isAtWork(run, lease)) return false
  await settleOne(run, record, { recorded: [], adopted: [], unknown: [] })
  if (stepsUnder(treeOf(run.session), lease).length === 0)
    accepted(await run.session.run('runner.leave', { token: lease }, { actor: run.actor }))
  return true
}

const later = (run: Run): Performed => ({ kind: 'later', until: now(run) + LOOK_MS })

/*
 * One attempt of one step, from the promise in the log to the result in the log.
 *
 *   step.start (durable) ──► worker ──► result beside it ──► outputs, blobs ──► step.finish | step.fail ──► folder gone
 *
 * B1. The log knows of an attempt before it begins, and of its result before the result's folder is removed: whatever is
 *     killed in between, the next runner finds out which of the two it was.
 * B2. A result that the ledger refuses (another attempt took its place) is dropped.
 * B3. A result that the log cannot hold is a failure of its step alone: it keeps no other step from going on.
 */
import type { Started } from '../domain/steps/events.ts'
import type { Refusal } from '../kernel/decision.ts'
import { EngineError, type ErrorCode } from '../kernel/error.ts'
import { accepted } from '../kernel/operation/answer.ts'
import { whole } from '../kernel/text/whole.ts'
import type { Spending } from '../kernel/work/runner.ts'
import type { Ended, Gone, Job, Worker } from '../kernel/work/worker.ts'
import type { Ground } from './ground.ts'
import { judge, lost, untaken, type Costs, type FailureReport, type ResultReport } from './judge.ts'
import { reportOf } from './report.ts'
import type { Work, Attempt, Outcome } from './work.ts'

export type Begun = { readonly kind: 'begun'; readonly attempt: Attempt; readonly worker: Worker } | Refusal

const BREAKER_MS = 60_000

/** Folders of attempts that this process has begun, or waited for, and could not tell the end of: nobody waits for them any more. */
export const forsaken = new Set<string>()

async function orForsaken<T>(dir: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    forsaken.add(dir)
    throw error
  }
}

export async function begin(
  ground: Ground,
  work: Work,
  { onOutput, stdin }: Pick<Job, 'onOutput' | 'stdin'> = {},
): Promise<Begun> {
  const { deps, session, actor, lease, bound } = ground
  const { key, name, state, command, repeatable, most } = work
  const dir = deps.workspace.kernel.host.newId()
  const worker = { dir, runner: deps.workers.self(), pid: null }
  deps.workers.prepare(session.id, dir)
  const start = { key, name, state, command, repeatable, worker, lease, most }
  const answer = await session.run('step.start', start, { actor })
  if (answer.kind === 'refused') {
    deps.workers.discardEmpty(session.id, dir)
    return answer
  }
  // The answer of step.start is the data of the event it wrote.
  const { token, attempt: number } = answer.value as Started
  const env = {
    ...work.env,
    STEADFOLD_SESSION: session.id,
    STEADFOLD_STEP: name,
    STEADFOLD_DIR: deps.place ?? deps.dir,
    STEADFOLD_WORKFLOW_DIR: deps.workflowDir ?? deps.dir,
    STEADFOLD_ATTEMPT: String(number),
  }
  const job = { session: session.id, dir, command, env, onOutput, stdin, within: bound?.left }
  const started = await orForsaken(dir, () => deps.workers.start(job))
  return { kind: 'begun', attempt: { token, number, dir }, worker: started }
}

/** Writes what came of an attempt into the log, then lets go of its folder. */
export const conclude = (ground: Ground, work: Work, attempt: Attempt, ended: Ended | Gone): Promise<Outcome> =>
  orForsaken(attempt.dir, () => record(ground, work, attempt, ended))

async function record(ground: Ground, work: Work, attempt: Attempt, ended: Ended | Gone): Promise<Outcome> {
  // What the worker handed in through its shell counts before its end does.
  await ground.deps.takeIn()
  const report = await (ended.kind === 'gone' ? lost(ground, work, ended) : judge(ground, work, ended))
  const outcome =
    report.kind === 'result' ? await keep(ground, work, attempt, report) : await fail(ground, work, attempt, report)
  ground.deps.workers.discard(ground.session.id, attempt.dir)
  return outcome
}

/** B3 */
const NOT_HELD: ReadonlySet<ErrorCode> = new Set([
  'VALUE_TOO_LARGE',
  'VALUE_TOO_DEEP',
  'VALUE_NOT_JSON',
  'OUTPUT_INVALID',
  'INPUT_INVALID',
  'KEY_FORBIDDEN',
  'FILE_UNREADABLE',
])

async function keep(ground: Ground, work: Work, attempt: Attempt, report: ResultReport): Promise<Outcome> {
  try {
    return await finish(ground, work, attempt, report)
  } catch (error) {
    if (!(error instanceof EngineError) || !NOT_HELD.has(error.code)) throw error
    return fail(ground, work, attempt, untaken(report, error.message))
  }
}

async function finish(ground: Ground, work: Work, { token }: Attempt, report: ResultReport): Promise<Outcome> {
  const { session, actor } = ground
  const { key, prefix } = work
  const { exit, outputs, artifacts, costs } = report
  const named = prefix === null ? {} : outputs
  // Outputs first: should only they arrive, the result is found and told again. The sync of what follows is theirs, too.
  if (Object.keys(named).length > 0) {
    const imported = await session.run(
      'output.import',
      { values: named, prefix: prefix ?? '', step: { key, token } },
      { actor, durability: 'relaxed' },
    )
    if (imported.kind === 'refused' && imported.code === 'LEASE_LOST') return { kind: 'dropped' }
    accepted(imported)
  }
  const told = await reportOf(ground, work)
  const answer = await session.run(
    'step.finish',
    { key, token, exit, outputs, artifacts: [...artifacts], ...(told === undefined ? {} : { report: told }), ...costs },
    { actor },
  )
  if (answer.kind === 'refused' && answer.code === 'LEASE_LOST') return { kind: 'dropped' }
  accepted(answer)
  return { kind: 'finished', ...spending(costs) }
}

async function fail(ground: Ground, work: Work, { token }: Attempt, report: FailureReport): Promise<Outcome> {
  const { deps, session, actor } = ground
  const { class: kind, reason, exit, interrupted, tail, costs } = report
  const again = work.again?.(report) ?? false
  const input = {
    key: work.key,
    token,
    class: kind,
    reason: whole(reason, 1000),
    exit,
    interrupted,
    ...(again ? { again } : {}),
    breaker_ms: BREAKER_MS * deps.scale,
    ...costs,
  }
  const answer = await session.run('step.fail', input, { actor })
  if (answer.kind === 'refused' && answer.code === 'LEASE_LOST') return { kind: 'dropped' }
  const parked = accepted(answer).events.some(({ type }) => type === 'step.parked')
  return { kind: 'failed', class: kind, reason, exit, interrupted, again, parked, tail, spent: spending(costs) }
}

const spending = ({ tokens, cost_usd, duration_ms }: Costs): Spending => ({ tokens, cost_usd, duration_ms })

/*
 * What a runner that died left behind, before anything new begins.
 *
 *   result beside the worker ──► recorded          wrapper alive ──► adopted
 *   never begun ──► begins again                   gone ──► unknown: runs again if it may, else parked
 */
import { sessionOf } from '../domain/session/session.ts'
import type { StepRecord } from '../domain/steps/events.ts'
import { workflowOf } from '../domain/workflow/workflow.ts'
import { accepted } from '../kernel/operation/answer.ts'
import type { Resumed, Spending } from '../kernel/work/runner.ts'
import type { Found } from '../kernel/work/worker.ts'
import { conclude } from './attempt.ts'
import { isBehind, stepsIn, type Placed, type Run } from './context.ts'
import { gather, hashesOnce } from './facts.ts'
import { addSpending, assertAmongRunners, isSameCommand, ledgerOf, NO_SPENDING, stepNamed, treeOf } from './ground.ts'
import { artifactsOf } from './report.ts'
import { isAtWork, savedBy } from './whose.ts'
import type { Attempt, Work } from './work.ts'

export interface Settled {
  readonly recorded: string[]
  readonly adopted: string[]
  readonly unknown: { step: string; action: 'runs again' | 'parked' }[]
}

/** Null when there is nothing to resume. `all`: also steps that the definition has no more, such as under another name. */
export async function settle(run: Run, seq: number, { all }: { readonly all: boolean }): Promise<Resumed | null> {
  const names = new Set([...stepsIn(run.definition)].map(({ name }) => name))
  await clearFolders(run)
  assertAmongRunners(run)
  const settled: Settled = { recorded: [], adopted: [], unknown: [] }
  const running = Object.values(ledgerOf(run.session)?.ledger ?? {}).filter(
    ({ status, name, state, attempt }) =>
      status === 'running' && state !== null && (all || names.has(name)) && !isAtWork(run, attempt?.lease),
  )
  await Promise.all(running.map((record) => settleOne(run, record, settled)))
  const hashes = hashesOnce(run)
  for (const each of stepsIn(run.definition)) if (await isKept(run, each, hashes)) run.kept.add(each.name)
  warnOfEdits(run)
  const finished = [...run.kept]
  const known = running.length > 0 || [...names].some((name) => stepNamed(run.session, name) !== undefined)
  if (!known) return null
  const saved = finished.reduce<Spending>((sum, name) => addSpending(sum, savedBy(run, name)), NO_SPENDING)
  run.tally.save(saved)
  // What the definition has no more does not run again.
  const unknown = settled.unknown.filter(({ step, action }) => names.has(step) || action === 'parked')
  const ahead = [...stepsIn(run.definition)].filter(({ name, state }) => !run.kept.has(name) && !isBehind(run, state))
  return { seq, kept: finished, to_run: ahead.map(({ name }) => name), ...settled, unknown, saved }
}

/** Finished, and of what it depends on nothing has changed, or its state is behind. */
async function isKept(
  run: Run,
  { name, state, step }: Placed,
  hashes: ReturnType<typeof hashesOnce>,
): Promise<boolean> {
  const record = stepNamed(run.session, name)
  if (record?.status !== 'finished') return false
  return isBehind(run, state) || (await gather(run, name, step, hashes)).key === record.key
}

/** What is behind is not gone back to, unless all of it begins anew. */
function warnOfEdits(run: Run): void {
  if (workflowOf(treeOf(run.session)).completed_at !== null) return
  const { kernel } = run.deps.workspace
  for (const { name, state, step } of stepsIn(run.definition)) {
    const command = stepNamed(run.session, name)?.command ?? step.run
    if (run.kept.has(name) && isBehind(run, state) && !isSameCommand(kernel, command, step.run))
      kernel.warn(
        `step ${name}: its command has changed, and "${state}" is behind: it keeps its result until the workflow begins anew`,
      )
  }
}

export async function settleOne(run: Run, record: StepRecord, settled: Settled): Promise<void> {
  const { name, attempt: last } = record
  if (last === null || last.worker === null) return
  const { dir, runner } = last.worker
  const attempt: Attempt = { token: last.token, number: last.number, dir }
  const onOutput = run.follow
    ? (stream: 'stdout' | 'stderr', bytes: Uint8Array) =>
        run.emit({ type: 'step-output', step: name, state: record.state ?? '', stream, bytes })
    : undefined
  const found = await run.deps.workers.find({ session: run.session.id, dir, runner, onOutput })
  switch (found.kind) {
    case 'never':
      return neverBegun(run, record, attempt)
    case 'alive':
      await adopt(run, record, attempt, found)
      settled.adopted.push(name)
      return
    case 'ended':
      await conclude(run, workOf(run, record), attempt, found)
      settled.recorded.push(name)
      return
    case 'gone': {
      const reasons = sharedReason(run, attempt) ?? found.reasons
      const outcome = await conclude(run, workOf(run, record), attempt, { ...found, reasons })
      settled.unknown.push({
        step: name,
        action: outcome.kind === 'failed' && outcome.parked ? 'parked' : 'runs again',
      })
    }
  }
}

/** The attempt is one of the session that this one was forked from, and so is its folder. */
function sharedReason({ session }: Run, { token }: Attempt): readonly string[] | undefined {
  const from = sessionOf(treeOf(session))?.lineage.find(({ seq }) => token <= seq)
  return from && [`it was under way when this session was forked: what became of it stands in ${from.session}`]
}

/** The promise was made, but nothing was started: no effect, so it is no unknown. */
async function neverBegun(run: Run, { key }: StepRecord, { token, dir }: Attempt): Promise<void> {
  const { session, actor, deps } = run
  accepted(
    await session.run(
      'step.fail',
      { key, token, class: 'transient', reason: 'its runner died before it began', interrupted: true },
      { actor },
    ),
  )
  deps.workers.discard(session.id, dir)
}

async function adopt(
  run: Run,
  record: StepRecord,
  attempt: Attempt,
  { worker }: Found & { readonly kind: 'alive' },
): Promise<void> {
  const { session, actor, deps } = run
  const now = { dir: attempt.dir, runner: deps.workers.self(), pid: worker.pid }
  const from = record.attempt?.worker?.runner ?? null
  const input = { key: record.key, token: attempt.token, worker: now, lease: run.lease, from }
  const answer = await session.run('step.adopt', input, { actor })
  if (answer.kind === 'refused') worker.detach()
  accepted(answer)
  run.adopted.set(record.name, { work: workOf(run, record), attempt, worker })
}

function workOf({ definition }: Run, record: StepRecord): Work {
  const { key, name, state, command, repeatable } = record
  const step = [...stepsIn(definition)].find((each) => each.name === name)?.step
  return {
    key,
    name,
    state,
    command: command ?? [],
    env: {},
    artifacts: step === undefined ? [] : artifactsOf(step),
    report: step?.report,
    repeatable,
    timeout_ms: step?.timeout_ms,
    prefix: `${name}.`,
  }
}

/**
 * Folders of attempts that are over. Those with something in them, listed before the log is read again, began before it was
 * read; an empty one may be of an attempt that is just being promised, which makes it anew.
 */
async function clearFolders({ deps, session }: Run): Promise<void> {
  const folders = deps.workers.folders(session.id)
  await session.refresh()
  const running = new Set(
    Object.values(ledgerOf(session)?.ledger ?? {}).flatMap(({ status, attempt }) =>
      status === 'running' ? [attempt?.worker?.dir] : [],
    ),
  )
  for (const { dir, empty } of folders.filter((folder) => !running.has(folder.dir))) {
    if (empty) deps.workers.discardEmpty(session.id, dir)
    else deps.workers.discard(session.id, dir)
  }
}

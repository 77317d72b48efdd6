/*
 * Takes steps of a workflow that another runner drives, on this host or another.
 *
 *   joined ──► state that is worked on ──► steps nobody has begun ──► next state ──► … ──► complete
 *                     the driver is lost ──► drives it ──► goes on taking steps
 *
 * J1. Without a driver nothing begins: whoever runs the workflow decides that it goes on.
 * J2. The place of a driver that is dead by evidence, or let its lease end, is taken.
 * J3. Where driving fails nothing more begins, and what runs is left to who comes next; what drives is waited for.
 */
import { sessionOf } from '../domain/session/session.ts'
import { isDefined, workflowOf } from '../domain/workflow/workflow.ts'
import type { ProcessRef } from '../kernel/care/recovery.ts'
import { EngineError } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'
import type { RunOptions, RunResult } from '../kernel/work/runner.ts'
import { stateIn, type Run } from './context.ts'
import type { End } from './flow.ts'
import { assertGoesOn, now, treeOf, type Ground } from './ground.ts'
import { joinRunners } from './lease.ts'
import { withNotice } from './notice.ts'
import { DEFAULT_ACTOR } from './open.ts'
import type { RunnerDeps } from './ports.ts'
import { planRecovery } from './recover.ts'
import { rooted } from './rooted.ts'
import { runState } from './state.ts'

const LOOK_MS = 300
const STAND_BY_MS = 1000
const COMPLETED: End = { status: 'completed', code: undefined, message: 'completed', hint: undefined }

export interface Along {
  readonly runOn: (ground: Ground, ends: Pick<Run, 'stop' | 'lost'>) => Run
  readonly resultOf: (run: Run, end: End) => RunResult
  /** Drives the workflow in place of a runner that was lost; throws LEASE_HELD when another was quicker. */
  readonly drive: (beside: number | undefined) => Promise<RunResult>
}

/** Ends when the workflow is complete, when it is told to stop, or with the session. */
export async function takeSteps(
  deps: RunnerDeps,
  session: Session,
  options: RunOptions,
  along: Along,
): Promise<RunResult> {
  await session.refresh()
  if (!isDefined(treeOf(session)))
    throw new EngineError('WORKFLOW_MISSING', 'there are no steps to take: the session has no workflow', {
      hint: 'steadfold run FILE.workflow.yaml',
    })
  const { actor = DEFAULT_ACTOR, lease_ms, signal } = options
  const lease = await joinRunners(deps, session, { actor, ttl_ms: lease_ms })
  try {
    return await withNotice(signal, async (stop) => {
      const ground: Ground = { deps: rooted(deps, session), session, actor, lease: lease.token, bound: lease.bound }
      const run = along.runOn(ground, { stop, lost: lease.lost })
      return along.resultOf(run, await new Taker(run, along).work())
    })
  } finally {
    await lease.release()
  }
}

class Taker {
  readonly #run: Run
  readonly #along: Along
  readonly #failed = new AbortController()
  #drives = false
  /** How the workflow stood when it last drove it. */
  #driven: RunResult | undefined
  #ended = false

  constructor(run: Run, along: Along) {
    this.#run = { ...run, lost: AbortSignal.any([run.lost, this.#failed.signal]) }
    this.#along = along
  }

  async work(): Promise<End> {
    const standing = this.#standBy().catch((error: unknown) => {
      this.#failed.abort(error)
      throw error
    })
    const taking = this.#take().finally(() => (this.#ended = true))
    // J3
    await Promise.allSettled([taking, standing])
    await standing
    return taking
  }

  async #take(): Promise<End> {
    const { session, stop, lost, deps } = this.#run
    for (let last = ''; ; last = this.#entry) {
      if (this.#entry !== last) await this.#takeFrom(this.#entry)
      // Where it came to the end nothing is left that could be lost; what drives has a lease of its own.
      if (this.#isComplete) return this.#driven?.status === 'partial' ? this.#driven : COMPLETED
      if (lost.aborted && !this.#drives) throw lost.reason
      if (stop.told) return { status: 'interrupted', code: undefined, message: 'stopped', hint: undefined }
      await deps.workspace.kernel.host.sleep(LOOK_MS)
      await session.refresh()
      assertGoesOn(session)
    }
  }

  /** J1 */
  async #takeFrom(entry: string): Promise<void> {
    const { current, definition } = workflowOf(treeOf(this.#run.session))
    const state = stateIn(definition, current)
    if (this.#drives || this.#isComplete || state === undefined) return
    if (this.#driver === null)
      return this.#run.emit({
        type: 'waiting',
        reason: 'a runner that drives it',
        until: Number.POSITIVE_INFINITY,
        next: null,
      })
    const joined = () => this.#drives || this.#entry !== entry
    await runState({ ...this.#run, definition, joined }, current, state).catch((error: unknown) => {
      // What it had begun before it drove is adopted by what drives.
      if (!this.#drives || error !== this.#run.lost.reason) throw error
    })
  }

  get #driver() {
    return sessionOf(treeOf(this.#run.session))?.lease ?? null
  }

  get #isComplete(): boolean {
    return workflowOf(treeOf(this.#run.session)).completed_at !== null && !this.#drives
  }

  /** Changes when a state is entered, and when another drives. */
  get #entry(): string {
    const { pass, history, current } = workflowOf(treeOf(this.#run.session))
    return [this.#drives, this.#driver?.token, pass, history.length, current].join()
  }

  /** J2 */
  async #standBy(): Promise<void> {
    const { session, deps } = this.#run
    const judge = (process: ProcessRef) => deps.workers.evidence(process)
    for (; !this.#ended; await deps.workspace.kernel.host.sleep(STAND_BY_MS)) {
      if (this.#driver === null || this.#run.stop.told) continue
      const plan = await planRecovery(session, judge, now(this.#run))
      if (plan?.token === this.#driver?.token) await this.#driveOn()
    }
  }

  async #driveOn(): Promise<void> {
    this.#drives = true
    try {
      this.#driven = await this.#along.drive(this.#run.lease)
      this.#run.tally.add(this.#driven)
      // What it wrote stands in the log, and not here yet.
      await this.#run.session.refresh()
    } catch (error) {
      // Another was quicker.
      if (!(error instanceof EngineError) || error.code !== 'LEASE_HELD') throw error
    } finally {
      this.#drives = false
    }
  }
}

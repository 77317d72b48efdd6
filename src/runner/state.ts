/*
 * Works off the steps of one state: always as many as allowed, the most urgent first.
 */
import { retryDelay } from '../domain/steps/failure.ts'
import type { StateDefinition } from '../domain/workflow/definition.ts'
import { asError } from '../kernel/error.ts'
import { Board, type Slot } from './board.ts'
import type { Run } from './context.ts'
import { hasEnded, now, stepNamed, toType } from './ground.ts'
import { isLetGo, laterBy, waitingFor } from './held.ts'
import { Notice } from './notice.ts'
import { awaitOther, isElsewhere } from './others.ts'
import { perform } from './perform.ts'
import type { Outcome, Performed } from './work.ts'

export interface StateOutcome {
  readonly met: boolean
  readonly succeeded: number
  readonly of: number
  readonly parked: readonly string[]
  readonly failed: readonly string[]
  /** With why. */
  readonly skipped: ReadonlyMap<string, string>
}

export async function runState(run: Run, name: string, state: StateDefinition): Promise<StateOutcome> {
  return new StateRun(run, name, state).drive()
}

class StateRun {
  readonly #run: Run
  readonly #name: string
  readonly #limit: number
  readonly #durations: ReadonlyMap<string, number>
  readonly #board: Board
  readonly #running = new Set<Promise<void>>()
  /** Ends the watch over workers that go on without this runner. */
  readonly #leave = new Notice()
  readonly #skipped = new Map<string, string>()
  #fault: Error | undefined
  #announced = 0

  constructor(run: Run, name: string, state: StateDefinition) {
    this.#run = run
    this.#name = name
    this.#limit = Math.min(state.max_parallel ?? Number.POSITIVE_INFINITY, run.maxParallel)
    this.#durations = expected(run, state)
    this.#board = new Board(state, this.#durations, (step) => stepNamed(run.session, step)?.status === 'finished')
    for (const slot of this.#board.slots.values()) awaitOther(run, slot)
    run.emit({ type: 'state-entered', state: name, mode: state.mode, waves: this.#board.waves() })
  }

  async drive(): Promise<StateOutcome> {
    const { lost } = this.#run
    const onLost = () => this.#fail(lost.reason)
    lost.addEventListener('abort', onLost)
    try {
      while (this.#advance()) await this.#change()
    } finally {
      lost.removeEventListener('abort', onLost)
    }
    if (hasEnded(this.#run.session)) await Promise.all(this.#running)
    if (this.#fault !== undefined) throw this.#fault
    const board = this.#board
    return {
      met: board.met(),
      succeeded: board.count('done'),
      of: board.total,
      parked: board.names('parked'),
      failed: board.names('failed'),
      skipped: this.#skipped,
    }
  }

  /** Starts what may start; false when nothing runs and nothing ever will. */
  #advance(): boolean {
    if (this.#fault !== undefined) return false
    for (const name of this.#board.reopen((step) => stepNamed(this.#run.session, step)?.status === 'ready')) {
      this.#run.tally.forget(name)
      this.#skipped.delete(name)
    }
    this.#letGo()
    this.#startAdopted()
    for (const { name, reason } of this.#board.skipHopeless()) {
      this.#run.tally.note(name, 'skipped')
      this.#skipped.set(name, reason)
      this.#run.emit({ type: 'step-skipped', step: name, state: this.#name, reason })
    }
    for (const slot of this.#stopping ? [] : this.#board.due(now(this.#run)))
      if (isElsewhere(this.#run, slot)) this.#start(slot)
    while (!this.#stopping && this.#running.size < this.#limit) {
      const slot = this.#board.next(now(this.#run))
      if (slot === undefined) break
      this.#start(slot)
    }
    this.#progress()
    return this.#running.size > 0 || (!this.#stopping && this.#board.wakeAt() !== undefined)
  }

  #letGo(): void {
    for (const slot of this.#board.slots.values()) {
      if (slot.status !== 'open' || !isLetGo(this.#run, slot)) continue
      slot.held = undefined
      slot.notBefore = Math.min(slot.notBefore, now(this.#run))
      this.#announced = 0
    }
  }

  /** They run already, whether there is a place or not; nothing begins beside them until there is one. */
  #startAdopted(): void {
    const { adopted } = this.#run
    for (const slot of this.#stopping ? [] : this.#board.due(now(this.#run)))
      if (adopted.has(slot.name)) this.#start(slot)
  }

  get #stopping(): boolean {
    return this.#run.stop.told || this.#run.joined?.() === true
  }

  #start(slot: Slot): void {
    slot.status = 'running'
    slot.held = undefined
    const work = perform(this.#run, this.#name, slot, this.#leave)
      .then((performed) => this.#settle(slot, performed))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#running.delete(work))
    this.#running.add(work)
  }

  /** Leaves the workers to themselves; whoever runs next adopts them. In a session that has ended nobody does. */
  #fail(error: unknown): void {
    this.#fault ??= asError(error)
    if (hasEnded(this.#run.session)) this.#run.stop.tell()
    else this.#leave.tell()
  }

  async #change(): Promise<void> {
    const wake = this.#running.size < this.#limit && !this.#stopping ? this.#board.wakeAt() : undefined
    const wait = wake === undefined ? undefined : wake - now(this.#run)
    if (wake !== undefined && (wait ?? 0) > WORTH_TELLING_MS && this.#running.size === 0) this.#announce()
    const alarm = new Alarm(Math.min(wait ?? OTHERS_MS, OTHERS_MS), this.#run.stop)
    await Promise.race([...this.#running, alarm.rung])
    alarm.clear()
    // A store that does not answer for a while is no loss: that is told by the lease.
    await this.#run.session.refresh().catch(() => undefined)
    if (hasEnded(this.#run.session)) this.#run.stop.tell()
  }

  #announce(): void {
    const event = waitingFor(this.#run, this.#board.waiting())
    if (event.until <= this.#announced) return
    this.#announced = event.until
    this.#run.emit(event)
  }

  #settle(slot: Slot, performed: Performed): void {
    const { tally, emit } = this.#run
    const at = { step: slot.name, state: this.#name }
    switch (performed.kind) {
      case 'kept':
        slot.status = 'done'
        return
      case 'reused':
        slot.status = 'done'
        tally.note(slot.name, 'reused')
        tally.save(performed.cost)
        return emit({ type: 'step-reused', ...at, ...performed.cost })
      case 'later':
        slot.status = 'open'
        slot.notBefore = performed.until
        slot.held = performed.held
        return
      case 'skipped':
        slot.status = 'skipped'
        tally.note(slot.name, 'skipped')
        this.#skipped.set(slot.name, performed.reason)
        return emit({ type: 'step-skipped', ...at, reason: performed.reason })
      case 'parked':
        return this.#park(slot, performed.reason)
      case 'over':
        return this.#over(slot, performed.attempt, performed.outcome)
    }
  }

  #park(slot: Slot, reason: string): void {
    slot.status = 'parked'
    this.#run.tally.note(slot.name, 'parked')
    this.#run.emit({
      type: 'step-parked',
      step: slot.name,
      state: this.#name,
      reason,
      next: toType(this.#run.session, 'step', 'release', slot.name),
    })
  }

  #over(slot: Slot, attempt: number, outcome: Outcome): void {
    const { tally, emit, joined } = this.#run
    const at = { step: slot.name, state: this.#name, attempt }
    if (outcome.kind === 'dropped') {
      // Somebody else took its place; what that brings is in the ledger.
      slot.status = 'open'
      return
    }
    if (outcome.kind === 'finished') {
      slot.status = 'done'
      tally.note(slot.name, 'ran')
      tally.spend(outcome)
      return emit({
        type: 'step-finished',
        ...at,
        tokens: outcome.tokens,
        cost_usd: outcome.cost_usd,
        duration_ms: outcome.duration_ms,
      })
    }
    tally.spend(outcome.spent)
    const { ms: retry_ms, held } = this.#retryIn(slot, outcome)
    const { class: kind, reason, exit, tail } = outcome
    emit({ type: 'step-failed', ...at, class: kind, reason, exit, retry_ms, breaker: held ?? null, tail })
    if (joined !== undefined) return void (slot.status = 'open')
    if (outcome.parked) return this.#park(slot, reason)
    slot.status = retry_ms === null ? (outcome.interrupted ? 'open' : 'failed') : 'open'
    slot.notBefore = now(this.#run) + (retry_ms ?? 0)
    slot.held = held
    if (slot.status === 'failed') tally.note(slot.name, 'failed')
  }

  /** Null when it is not tried again in this run. */
  #retryIn(slot: Slot, outcome: Outcome & { readonly kind: 'failed' }) {
    if (!outcome.again || this.#run.joined !== undefined || this.#stopping) return { ms: null, held: undefined }
    slot.failures += 1
    const { host } = this.#run.deps.workspace.kernel
    return laterBy(this.#run, slot, retryDelay(slot.failures, host.random(), this.#run.deps.scale))
  }

  #progress(): void {
    const board = this.#board
    const running = board.count('running')
    const left_ms = board.left(this.#limit, this.#durations)
    this.#run.emit({
      type: 'progress',
      state: this.#name,
      done: board.count('done'),
      running,
      failed: board.count('failed', 'parked', 'skipped'),
      total: board.total,
      left_ms,
    })
  }
}

/** Rings after `wait` ms, and when the run is to stop. */
class Alarm {
  readonly rung: Promise<void>
  #ring: () => void = () => undefined
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #forget: () => void

  constructor(wait: number, stop: Notice) {
    this.rung = new Promise((resolve) => (this.#ring = resolve))
    this.#timer = setTimeout(this.#ring, Math.max(0, wait))
    // Once told it ends no more waits: what still runs has to end.
    this.#forget = stop.told ? () => undefined : stop.on(this.#ring)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#forget()
  }
}

const WORTH_TELLING_MS = 500
/** How often a runner that waits looks what others do. */
const OTHERS_MS = 1000

/** Measured by the ledger, else as declared. */
function expected({ session }: Run, { steps }: StateDefinition): ReadonlyMap<string, number> {
  const known = Object.entries(steps).map(
    ([name, { cost_hint_ms }]) => [name, stepNamed(session, name)?.result?.duration_ms ?? cost_hint_ms] as const,
  )
  return new Map(known.flatMap(([name, duration]) => (duration === undefined ? [] : [[name, duration]])))
}

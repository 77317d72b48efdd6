/*
 * The steps of one state while they are worked on: which may start, which never will.
 *
 * D1. A step may start when all it needs is done, and in mode stages when every earlier stage is over and met the share.
 * D2. A step whose need cannot be met is skipped, with the need's name.
 * D3. Of those that may start, the one with the longest remaining path goes first.
 * D4. What failed in a way that time may mend is tried again as often as the step's `retries` say. A worker that asks to be
 *     run again is, and so is once a repeatable step of which nobody knows what became.
 * D5. A wait is a length: where the clock is set back meanwhile, it does not grow.
 * D6. What a person has released or retried meanwhile is open again, and so is what was skipped.
 */
import { ASKED_RETRIES } from '../domain/steps/failure.ts'
import type { StateDefinition, StepDefinition } from '../domain/workflow/definition.ts'
import { waves } from '../kernel/work/graph.ts'
import { byPriority, remainingPaths } from './schedule.ts'
import { Stages, type Standing } from './stages.ts'
import type { Failed } from './work.ts'

export type SlotStatus = 'open' | 'running' | 'done' | 'failed' | 'parked' | 'skipped'

export interface Slot {
  readonly name: string
  readonly step: StepDefinition
  readonly stage: string
  /** Most of its state at once, on all hosts together. */
  readonly most: number | undefined
  status: SlotStatus
  /** Failures in this run. */
  failures: number
  /** Milliseconds since 1970: not before it. */
  notBefore: number
  /** Family of commands whose breaker it waits for. */
  held: string | undefined
  /** Token of the last attempt of another runner that was told of, and of the one that is waited for. */
  seen: number
  awaited: number
}

const UNKNOWN_DURATION = 1

/** D4 */
export function runsAgain({ failures, step }: Slot, { class: kind, asked, interrupted }: Failed): boolean {
  const isUnknown = kind === 'unknown'
  if (interrupted || kind === 'terminal' || (isUnknown && !step.repeatable)) return false
  return failures < Math.max(step.retries, asked ? ASKED_RETRIES : isUnknown ? 1 : 0)
}

export class Board {
  readonly slots: ReadonlyMap<string, Slot>
  readonly #state: StateDefinition
  readonly #order: readonly Slot[]
  readonly #paths: ReadonlyMap<string, number>
  readonly #stages: Stages
  readonly #done: (step: string) => boolean
  #looked = -Infinity

  /** `durations`: expected, in ms; `done`: whether a step of an earlier state is finished. */
  constructor(state: StateDefinition, durations: ReadonlyMap<string, number>, done: (step: string) => boolean) {
    this.#state = state
    this.#done = done
    const slots = Object.entries(state.steps).map(([name, step]): Slot => ({
      name,
      step,
      stage: step.stage ?? '',
      most: state.max_parallel,
      status: 'open',
      failures: 0,
      notBefore: 0,
      held: undefined,
      seen: 0,
      awaited: 0,
    }))
    this.slots = new Map(slots.map((slot) => [slot.name, slot]))
    const stages = state.mode === 'stages' ? new Set(slots.map(({ stage }) => stage)) : []
    this.#stages = new Stages([...stages], (done, of) => this.#share(done, of))
    const tasks = slots.map(({ name, step }) => ({
      name,
      needs: step.needs,
      duration: durations.get(name) ?? UNKNOWN_DURATION,
    }))
    this.#paths = remainingPaths(tasks)
    this.#order = byPriority(tasks).flatMap((name) => this.slots.get(name) ?? [])
  }

  get total(): number {
    return this.slots.size
  }

  count(...statuses: readonly SlotStatus[]): number {
    return this.names(...statuses).length
  }

  names(...statuses: readonly SlotStatus[]): readonly string[] {
    return [...this.slots.values()].filter(({ status }) => statuses.includes(status)).map(({ name }) => name)
  }

  /** D1, D3 */
  next(now: number): Slot | undefined {
    const standing = this.#standing()
    return this.due(now).find((slot) => this.#mayStart(slot, standing))
  }

  /** Those that wait for nothing but their needs. */
  due(now: number): readonly Slot[] {
    // D5
    if (now < this.#looked) for (const slot of this.#order) slot.notBefore -= this.#looked - now
    this.#looked = now
    return this.#order.filter((slot) => slot.status === 'open' && slot.notBefore <= now)
  }

  /** Those that only wait for their time. */
  waiting(): readonly Slot[] {
    const standing = this.#standing()
    return this.#order.filter((slot) => slot.status === 'open' && this.#mayStart(slot, standing))
  }

  /** When the first of them may start; undefined when none waits. */
  wakeAt(): number | undefined {
    const waiting = this.waiting().map(({ notBefore }) => notBefore)
    return waiting.length === 0 ? undefined : Math.min(...waiting)
  }

  /** D6: their names. `isReleased`: whether somebody let that step run again. */
  reopen(isReleased: (step: string) => boolean): readonly string[] {
    const over = [...this.slots.values()].filter(({ status }) => status === 'failed' || status === 'parked')
    const released = over.filter(({ name }) => isReleased(name))
    if (released.length === 0) return []
    const skipped = [...this.slots.values()].filter(({ status }) => status === 'skipped')
    for (const slot of released) slot.failures = 0
    for (const slot of [...released, ...skipped]) slot.status = 'open'
    return [...released, ...skipped].map(({ name }) => name)
  }

  /** D2: those skipped now, with why. */
  skipHopeless(): readonly { readonly name: string; readonly reason: string }[] {
    const skipped: { name: string; reason: string }[] = []
    for (let before = -1; before !== skipped.length;) {
      before = skipped.length
      const standing = this.#standing()
      for (const slot of this.slots.values()) {
        const reason = slot.status === 'open' ? this.#hopeless(slot, standing) : undefined
        if (reason === undefined) continue
        slot.status = 'skipped'
        skipped.push({ name: slot.name, reason })
      }
    }
    return skipped
  }

  /** Whether enough have succeeded. */
  met(): boolean {
    return this.#share(this.count('done'), this.total)
  }

  waves(): readonly (readonly string[])[] {
    const stages = this.#stages.names.map((): string[] => [])
    if (stages.length > 0) {
      for (const slot of this.#order) stages[this.#stages.placeOf(slot)]?.push(slot.name)
      return stages
    }
    return waves([...this.slots.values()].map(({ name, step }) => ({ name, needs: step.needs })))
  }

  /** Longest of what is left, or all of it shared by so many. */
  left(workers: number, durations: ReadonlyMap<string, number>): number | null {
    if (durations.size === 0) return null
    const open = [...this.slots.values()].filter(({ status }) => status === 'open' || status === 'running')
    const sum = open.reduce((total, { name }) => total + (durations.get(name) ?? 0), 0)
    return Math.round(Math.max(sum / workers, ...open.map(({ name }) => this.#paths.get(name) ?? 0)))
  }

  #standing(): Standing {
    return this.#stages.standing(this.slots.values())
  }

  #mayStart(slot: Slot, { reached }: Standing): boolean {
    return this.#stages.placeOf(slot) <= reached && slot.step.needs.every((need) => this.#isDone(need))
  }

  #isDone(need: string): boolean {
    const slot = this.slots.get(need)
    return slot === undefined ? this.#done(need) : slot.status === 'done'
  }

  #hopeless(slot: Slot, { missed }: Standing): string | undefined {
    for (const need of slot.step.needs) {
      const status = this.slots.get(need)?.status
      if (status === undefined && !this.#done(need)) return `needs ${need}, which is not finished`
      if (status === 'failed' || status === 'parked' || status === 'skipped') return `needs ${need}, which is ${status}`
    }
    if (missed === undefined || missed.at >= this.#stages.placeOf(slot)) return undefined
    return `stage ${missed.stage === '' ? 'before it' : missed.stage} missed its share`
  }

  #share(done: number, of: number): boolean {
    return done >= Math.ceil(of * this.#state.min_success - 1e-9)
  }
}

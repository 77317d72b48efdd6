/*
 * Workers that a run adopted and no state of it waits for: of steps that were renamed or taken from the definition, or that
 * stand in a state it does not come to.
 *
 *   adopted, without a place ──► watched beside the run, which ends after them ──► recorded like any other
 *                 run fails, or its lease is lost ──► left alive for whoever runs next
 */
import { stepsIn, type Adopted, type Run } from './context.ts'
import { toType } from './ground.ts'
import { Notice } from './notice.ts'
import { attend } from './perform.ts'
import type { Outcome } from './work.ts'

export async function withStrays<T>(run: Run, task: () => Promise<T>): Promise<T> {
  const strays = new Strays(run)
  const leave = () => strays.leave()
  run.lost.addEventListener('abort', leave)
  try {
    const names = new Set([...stepsIn(run.definition)].map(({ name }) => name))
    strays.watch((name) => !names.has(name))
    const done = await task()
    strays.watch(() => true)
    await strays.ended()
    return done
  } finally {
    run.lost.removeEventListener('abort', leave)
    leave()
  }
}

class Strays {
  readonly #run: Run
  readonly #leave = new Notice()
  readonly #watched: Promise<void>[] = []
  #fault: { readonly error: unknown } | undefined

  constructor(run: Run) {
    this.#run = run
  }

  watch(which: (name: string) => boolean): void {
    const { adopted } = this.#run
    for (const [name, each] of [...adopted].filter(([step]) => which(step))) {
      adopted.delete(name)
      this.#watched.push(this.#attend(each).catch((error: unknown) => void (this.#fault ??= { error })))
    }
  }

  /** Throws what went wrong with the first of them. */
  async ended(): Promise<void> {
    await Promise.all(this.#watched)
    if (this.#fault !== undefined) throw this.#fault.error
  }

  leave(): void {
    this.#leave.tell()
    for (const { worker } of this.#run.adopted.values()) worker.detach()
    this.#run.adopted.clear()
  }

  async #attend({ work, attempt, worker }: Adopted): Promise<void> {
    const state = work.state ?? ''
    const at = { step: work.name, state, attempt: attempt.number }
    this.#run.emit({ type: 'step-adopted', ...at, pid: worker.pid })
    this.#tell(at, await attend(this.#run, { slot: undefined, work, attempt, worker, state, leave: this.#leave }))
  }

  #tell(at: { readonly step: string; readonly state: string; readonly attempt: number }, outcome: Outcome): void {
    const { session, tally, emit } = this.#run
    if (outcome.kind === 'dropped') return
    if (outcome.kind === 'finished') {
      tally.spend(outcome)
      const { tokens, cost_usd, duration_ms } = outcome
      return emit({ type: 'step-finished', ...at, tokens, cost_usd, duration_ms })
    }
    tally.spend(outcome.spent)
    const { class: kind, reason, exit, tail } = outcome
    emit({ type: 'step-failed', ...at, class: kind, reason, exit, retry_ms: null, breaker: null, tail })
    if (outcome.parked) emit({ type: 'step-parked', ...at, reason, next: toType(session, 'step', 'release', at.step) })
  }
}

/*
 * What an event tells of tokens and money.
 *
 * S1. A run of an agent CLI says what it has used so far: counted is what is more than it said before, also in another process.
 */
import { membersOf } from '../../kernel/json/members.ts'
import type { Event } from '../../kernel/log/commit.ts'
import type { Watched } from '../../kernel/observer.ts'
import { numberIn, textIn } from './read.ts'

export interface Spent {
  readonly tokens: number
  readonly cost_usd: number
}

export class Spending {
  /** Of each run what was told last. */
  readonly #runs = new Map<string, Spent>()

  /** Before an operation, which may tell of more. */
  look({ id, state }: Watched): void {
    for (const run of Object.values(membersOf(membersOf(state['activity'])['runs']))) {
      const key = keyOf(id, run)
      if (!this.#runs.has(key)) this.#runs.set(key, spentIn(run))
    }
  }

  of({ id }: Watched, { type, data }: Event): Spent {
    const spent = spentIn(data)
    if (type !== 'activity.metered') return spent
    const key = keyOf(id, data)
    const before = this.#runs.get(key)
    this.#runs.set(key, spent)
    return {
      tokens: spent.tokens - (before?.tokens ?? 0),
      cost_usd: spent.cost_usd - (before?.cost_usd ?? 0),
    }
  }
}

const keyOf = (session: string, run: unknown): string =>
  `${session} ${textIn(run, 'agent') ?? ''} ${textIn(run, 'run') ?? ''}`

const spentIn = (data: unknown): Spent => ({
  tokens: numberIn(data, 'tokens') ?? 0,
  cost_usd: numberIn(data, 'cost_usd') ?? 0,
})

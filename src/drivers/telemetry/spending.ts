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

type Runs = Map<string, Spent>

export class Spending {
  /** Of each run what was told last, as a state in this process has it. */
  readonly #known = new WeakMap<Watched['state'], Runs>()

  /** Before what is written next, which may tell of more. */
  look({ state }: Watched): void {
    const runs = Object.values(membersOf(membersOf(state['activity'])['runs']))
    this.#known.set(state, new Map(runs.map((run) => [keyOf(run), spentIn(run)])))
  }

  of({ state }: Watched, { type, data }: Event): Spent {
    const spent = spentIn(data)
    if (type !== 'activity.metered') return spent
    const runs = this.#known.get(state)
    const before = runs?.get(keyOf(data))
    runs?.set(keyOf(data), spent)
    return {
      tokens: spent.tokens - (before?.tokens ?? 0),
      cost_usd: spent.cost_usd - (before?.cost_usd ?? 0),
    }
  }
}

const keyOf = (run: unknown): string => `${textIn(run, 'agent') ?? ''} ${textIn(run, 'run') ?? ''}`

const spentIn = (data: unknown): Spent => ({
  tokens: numberIn(data, 'tokens') ?? 0,
  cost_usd: numberIn(data, 'cost_usd') ?? 0,
})

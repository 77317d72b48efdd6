/* Who told of themselves while no session was named. */
import { cliSessionIn } from '../../kernel/belonging.ts'
import type { Stray } from '../../kernel/ports.ts'
import type { Fact } from './fact.ts'

/** Bytes that hold the first members of what an agent tells, which say of which run it is. */
const HEAD = 16_000
const ENDS = /"hook_event_name"\s*:\s*"(SessionEnd|session\.deleted|dispose)"/

export interface Told {
  readonly fact: Fact
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Of an agent CLI its name and its run, where it says that. */
export function tellerOf({ op, name, value }: Fact): Pick<Stray, 'agent' | 'run'> | undefined {
  const run = op === 'activity.record' ? cliSessionIn(headOf(value)) : undefined
  return run === undefined ? undefined : { agent: name, run }
}

/** By the first fact of each; `all` are in order. */
export function straysOf(all: readonly Told[]): readonly Stray[] {
  const strays = new Map<string, Stray>()
  for (const { fact, time } of all) {
    const teller = fact.session === '' ? tellerOf(fact) : undefined
    if (teller === undefined) continue
    const key = `${teller.agent}:${teller.run}`
    const { told, since } = strays.get(key) ?? { told: 0, since: new Date(time).toISOString() }
    strays.set(key, { ...teller, told: told + 1, since, over: ENDS.test(headOf(fact.value)) })
  }
  return [...strays.values()]
}

const headOf = (value: Buffer): string => value.toString('utf8', 0, HEAD)

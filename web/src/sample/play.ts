/*
 * A session to look at: four agents add authentication to a service. It is told through the product's own operations,
 * so that the pages show what they would show of real work.
 *
 *   begin ─► research (waves, reports) ─► plan (tasks, talk) ─► implement (locks, handoffs, turns) ─► what needs a person
 */

/** Whoever performs it: a page does so over HTTP, tests in the library with a clock of their own. */
export interface Stage {
  /** Begins a session and gives its id. */
  readonly open: (name: string, goal: string) => Promise<Scene>
  /** Lets time go by, where time can be told to. */
  readonly later: (ms: number) => void
}

/** One session of it. */
export interface Scene {
  readonly id: string
  /** Runs an operation as an actor (`agent:ada`) and gives its value; throws when it is refused. */
  readonly as: <Value>(actor: string, operation: string, input?: object) => Promise<Value>
  readonly later: (ms: number) => void
  readonly fork: (name: string, at: string) => Promise<unknown>
}

export const SECOND = 1000
export const MINUTE = 60_000
/** Longer than anybody looks at a sample. */
export const DAY = 86_400_000

export const LEAD = 'agent:lead'
export const ADA = 'agent:ada'
export const BEN = 'agent:ben'
export const CLEO = 'agent:cleo'
export const SAM = 'human:sam'

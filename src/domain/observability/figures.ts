/* What a session tells of how well it is. */
import type { Figure } from '../../kernel/health.ts'
import { leastOf, type Heap } from '../../kernel/state/heap.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { AgentsSlice } from '../agents/events.ts'
import type { LocksSlice } from '../locks/events.ts'
import type { SessionSlice } from '../session/events.ts'
import type { TaskIndex } from '../tasks/events.ts'

export interface Told {
  readonly state: Readonly<Tree>
  /** Of the last commit, ISO 8601; empty before the first. */
  readonly at: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly log_bytes: number
  readonly damaged: boolean
}

export function figuresOf({ state, at, now, log_bytes, damaged }: Told): readonly Figure[] {
  const session = sliceOf<SessionSlice>(state, 'session')
  const of = session?.name ?? ''
  const figure = (name: Figure['name'], value: number, next: string): Figure => ({ name, value, of, next })
  const hasEnded = session?.lifecycle.status === 'terminated'
  const [holders, claims] = [Math.min(...holderEnds(state)), Math.min(...claimEnds(state))]
  const lag = hasEnded ? 0 : Math.max(0, now - Math.min(holders, claims))
  const tell = holders <= claims ? `steadfold recover ${quoted(of)}` : `steadfold session tick --session ${quoted(of)}`
  const skew = at === '' ? 0 : Math.max(0, Date.parse(at) - now)
  return [
    figure('damage', damaged ? 1 : 0, `steadfold verify --session ${quoted(of)}`),
    figure('log_size', log_bytes, `end it and begin another: steadfold session end ${quoted(of)}`),
    figure('lease_lag', lag, tell),
    figure('clock_skew', skew, 'set the clock of this machine: commits were made at a later time'),
  ]
}

/** The first end of each kind of lease; infinite where there is none. Who is gone is recovered … */
const holderEnds = (state: Readonly<Tree>): readonly number[] => [
  sliceOf<SessionSlice>(state, 'session')?.lease?.expires ?? Infinity,
  endOf(sliceOf<AgentsSlice>(state, 'execution.agents')?.leases),
]

/** … and what was held only has to be told. */
const claimEnds = (state: Readonly<Tree>): readonly number[] => [
  endOf(sliceOf<TaskIndex>(state, 'execution.task_index')?.leases),
  endOf(sliceOf<LocksSlice>(state, 'communication.locks')?.deadlines),
]

const endOf = (heap: Heap | undefined): number => (heap === undefined ? Infinity : (leastOf(heap) ?? Infinity))

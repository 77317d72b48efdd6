/* What a session tells of how well it is. */
import type { Figure } from '../../kernel/health.ts'
import { leastOf, type Heap } from '../../kernel/heap.ts'
import { sliceOf, type Tree } from '../../kernel/module.ts'
import { quoted } from '../../kernel/shell-word.ts'
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
  const lag = hasEnded ? 0 : Math.max(0, now - Math.min(...leaseEnds(state)))
  const skew = at === '' ? 0 : Math.max(0, Date.parse(at) - now)
  return [
    figure('damage', damaged ? 1 : 0, `steadfold verify --session ${quoted(of)}`),
    figure('log_size', log_bytes, `end it and begin another: steadfold session end ${quoted(of)}`),
    figure('lease_lag', lag, `steadfold recover ${quoted(of)}`),
    figure('clock_skew', skew, 'set the clock of this machine: commits were made at a later time'),
  ]
}

/** The first end of each kind of lease; infinite where there is none. */
function leaseEnds(state: Readonly<Tree>): readonly number[] {
  const end = (heap: Heap | undefined) => (heap === undefined ? Infinity : (leastOf(heap) ?? Infinity))
  return [
    sliceOf<SessionSlice>(state, 'session')?.lease?.expires ?? Infinity,
    end(sliceOf<AgentsSlice>(state, 'execution.agents')?.leases),
    end(sliceOf<TaskIndex>(state, 'execution.task_index')?.leases),
    end(sliceOf<LocksSlice>(state, 'communication.locks')?.deadlines),
  ]
}

/* What asking for a lock came to. */
import type { Event } from '../../kernel/log/commit.ts'
import type { Granted, Queued } from './events.ts'

export interface Acquired {
  readonly status: 'held' | 'waiting'
  readonly resource: string
  readonly holder: string
  /** Undefined while it waits. */
  readonly token?: number
  /** Milliseconds since 1970: the end of the hold or of the wait. */
  readonly until: number
  /** True when it was held before by the same holder. */
  readonly again: boolean
}

export function acquired(events: readonly Event[]): Acquired | undefined {
  for (const { type, data } of events) {
    // What these types carry.
    if (type === 'lock.granted' || type === 'lock.renewed') return heldAnswer(data as Granted, type === 'lock.renewed')
    if (type === 'lock.queued') return waitingAnswer(data as Queued)
  }
  return undefined
}

const heldAnswer = (
  { resource, holder, token, expires }: Pick<Granted, 'resource' | 'holder' | 'token' | 'expires'>,
  again: boolean,
): Acquired => ({ status: 'held', resource, holder, token, until: expires, again })

export const waitingAnswer = ({
  resource,
  holder,
  until,
}: Pick<Queued, 'resource' | 'holder' | 'until'>): Acquired => ({
  status: 'waiting',
  resource,
  holder,
  until,
  again: false,
})

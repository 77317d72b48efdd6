import { EngineError } from '../../kernel/error.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { Hold, LockMode, LockRecord } from './events.ts'
import { locksOf, recordOf } from './locks.ts'

/** One line of `lock list`: a hold, or a place in the queue. */
export interface LockRow {
  readonly resource: string
  readonly holder: string
  readonly mode: LockMode
  readonly status: 'held' | 'waiting'
  /** Null while it waits. */
  readonly token: number | null
  /** How many stand before it in the queue. */
  readonly ahead: number | null
  readonly reason: string | null
  readonly since: string
  /** When the hold, or the wait, is over; ISO 8601. */
  readonly until: string
}

interface Asked {
  readonly resource?: string | undefined
  readonly holder?: string | undefined
}

/** By resource; holders first, then the queue in its order. What has run out is left out, told by an operation or not. */
export function lockRows(root: Readonly<Tree>, { resource, holder }: Asked, now: number): readonly LockRow[] {
  return Object.values(locksOf(root)?.resources ?? {})
    .filter((record) => resource === undefined || record.resource === resource)
    .toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
    .flatMap((record) => rowsOf(record, now))
    .filter((row) => holder === undefined || row.holder === holder || row.holder.startsWith(`${holder} `))
}

function rowsOf({ resource, holders, queue }: LockRecord, now: number): readonly LockRow[] {
  const held = holders.filter(({ expires }) => expires > now)
  const waiting = queue.filter(({ until }) => until > now)
  return [
    ...held.map(({ holder, mode, token, reason, locked_at, expires }) => ({
      resource,
      holder,
      mode,
      status: 'held' as const,
      token,
      ahead: null,
      reason,
      since: locked_at,
      until: isoTime(expires),
    })),
    ...waiting.map(({ holder, mode, reason, queued_at, until }, ahead) => ({
      resource,
      holder,
      mode,
      status: 'waiting' as const,
      token: null,
      ahead,
      reason,
      since: queued_at,
      until: isoTime(until),
    })),
  ]
}

/** Whether work under `token` still counts; throws LEASE_LOST. For whoever guards the resource itself. */
export function checkedHold(root: Readonly<Tree>, resource: string, token: number, now: number): Hold {
  const hold = recordOf(locksOf(root), resource).holders.find((each) => each.token === token && each.expires > now)
  if (hold !== undefined) return hold
  throw new EngineError('LEASE_LOST', `nobody holds "${resource}" under token ${token}`, {
    hint: 'refuse the work that comes with it',
  })
}

const isoTime = (ms: number): string => new Date(ms).toISOString()

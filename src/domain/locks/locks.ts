/*
 * Leases on named resources, with a fair queue.
 *
 *   free ──acquire──► held ──release, expiry, break──► the next in the queue, or free
 *                      ▲
 *   asked ──wait──► queued ──turn──┘     queued ──timeout, withdrawal──► gone
 *
 * K1. An exclusive holder is alone; shared holders are among themselves.
 * K2. Nobody passes a waiter: a lock is granted by ticket, and shared ones that stand together are granted together.
 * K3. The token of a hold is the sequence number of the commit that granted it, so it only grows; who comes with another
 *     token than that of its hold is refused.
 * K4. A hold is over at its expiry, a wait at its end; the next operation says so, and grants what that makes free, in
 *     one commit.
 * K5. Nobody begins to wait in a loop: the request that would close it is refused, and told the whole loop.
 * K6. Who is queued keeps its place when it asks again, and waits longer once less than nine tenths of what it asks for are left;
 *     who holds and asks again renews.
 *     An activity inside one that holds is let in by its hold. Neither takes from its time: that of `lock.renew` is as asked.
 * K7. A lock is broken only by an operation that says who did it and why, by one of the known causes.
 */
import type { Event } from '../../kernel/log/commit.ts'
import type { Edit } from '../../kernel/state/edit.ts'
import { emptyHeap, keysUpTo, put, take } from '../../kernel/state/heap.ts'
import { defineModule, sliceReader, type Tree } from '../../kernel/state/module.ts'
import type { Hold, LockEvent, LockRecord, LocksSlice, Waiter } from './events.ts'

const LOCKS = 'communication.locks'

export const locksModule = defineModule<LocksSlice, LockEvent>({
  slice: LOCKS,
  initial: () => ({ resources: {}, deadlines: emptyHeap() }),
  evolve: {
    'lock.granted': (slice, { resource, ...granted }, edit, { at }) => {
      const { holders, queue } = recordOf(slice, resource)
      const hold: Hold = { ...granted, locked_at: at }
      const rest = queue.filter(({ holder }) => holder !== granted.holder)
      keep(slice, { resource, holders: [...without(holders, granted.holder), hold], queue: rest }, edit)
    },
    'lock.queued': (slice, { resource, ...queued }, edit, { at }) => {
      const { holders, queue } = recordOf(slice, resource)
      const before = queue.find(({ holder }) => holder === queued.holder)
      const waiter: Waiter = { ...queued, queued_at: before?.queued_at ?? at }
      const others = queue.filter(({ holder }) => holder !== queued.holder)
      const sorted = [...others, waiter].toSorted((a, b) => a.ticket - b.ticket)
      keep(slice, { resource, holders, queue: sorted }, edit)
    },
    'lock.renewed': (slice, { resource, holder, token, ttl_ms, expires }, edit) => {
      const { holders, queue } = recordOf(slice, resource)
      const renewed = holders.map((hold) => (isHold(hold, holder, token) ? { ...hold, ttl_ms, expires } : hold))
      keep(slice, { resource, holders: renewed, queue }, edit)
    },
    'lock.released': end,
    'lock.expired': end,
    'lock.broken': end,
    'lock.wait-ended': (slice, { resource, holder }, edit) => {
      const { holders, queue } = recordOf(slice, resource)
      keep(slice, { resource, holders, queue: queue.filter((waiter) => waiter.holder !== holder) }, edit)
    },
  },
  expire,
  deadlines: `${LOCKS}.deadlines`,
})

export const locksOf = sliceReader<LocksSlice>(LOCKS)

export function recordOf(slice: LocksSlice | undefined, resource: string): LockRecord {
  const known = slice !== undefined && Object.hasOwn(slice.resources, resource) ? slice.resources[resource] : undefined
  return known ?? { resource, holders: [], queue: [] }
}

/**
 * Whether `holder` is `outer`, or one of the activities inside it: `agent:a 1f.2c` is inside `agent:a 1f`. An actor is inside
 * none: `agent:a.b` is another than `agent:a`.
 */
export const isWithin = (holder: string, outer: string): boolean =>
  holder === outer || (outer.includes(' ') && holder.startsWith(`${outer}.`))

export const isHold = (hold: Hold, holder: string, token: number): boolean =>
  hold.holder === holder && hold.token === token

/** Who gets the lock now, by K1 and K2: the head of the queue, and with a shared one those that stand behind it. */
function turns({ holders, queue }: Pick<LockRecord, 'holders' | 'queue'>): readonly Waiter[] {
  const [head] = queue
  if (head === undefined || holders.some(({ mode }) => mode === 'exclusive')) return []
  if (head.mode === 'exclusive') return holders.length === 0 ? [head] : []
  const stop = queue.findIndex(({ mode }) => mode === 'exclusive')
  return stop < 0 ? queue : queue.slice(0, stop)
}

/** What follows from a change of a resource: the grants of those whose turn it is. */
export function grants(record: LockRecord, now: number, token: number): readonly LockEvent[] {
  return turns(record).map(({ holder, mode, reason, ttl_ms }) => ({
    type: 'lock.granted',
    data: { resource: record.resource, holder, mode, token, reason, ttl_ms, expires: now + ttl_ms },
  }))
}

/** K4 */
function expire(root: Readonly<Tree>, now: number, seq: number): readonly Event[] {
  const slice = locksOf(root)
  if (slice === undefined) return []
  return keysUpTo(slice.deadlines, now).flatMap((resource) => lapse(recordOf(slice, resource), now, seq))
}

function lapse({ resource, holders, queue }: LockRecord, now: number, seq: number): readonly LockEvent[] {
  const over = holders.filter(({ expires }) => expires <= now)
  const late = queue.filter(({ until }) => until <= now)
  const rest = {
    resource,
    holders: holders.filter(({ expires }) => expires > now),
    queue: queue.filter(({ until }) => until > now),
  }
  return [
    ...over.map(({ holder, token }): LockEvent => ({ type: 'lock.expired', data: { resource, holder, token } })),
    ...late.map(({ holder }): LockEvent => ({
      type: 'lock.wait-ended',
      data: { resource, holder, cause: 'timeout' },
    })),
    ...grants(rest, now, seq),
  ]
}

const without = (holders: readonly Hold[], name: string): readonly Hold[] =>
  holders.filter(({ holder }) => holder !== name)

interface Ended {
  readonly resource: string
  readonly holder: string
  readonly token: number
}

function end(slice: LocksSlice, { resource, holder, token }: Ended, edit: Edit): void {
  const { holders, queue } = recordOf(slice, resource)
  keep(slice, { resource, holders: holders.filter((hold) => !isHold(hold, holder, token)), queue }, edit)
}

function keep(slice: LocksSlice, record: LockRecord, edit: Edit): void {
  const { resource, holders, queue } = record
  if (holders.length === 0 && queue.length === 0) {
    edit.remove(slice.resources, resource)
    take(slice.deadlines, resource, edit)
    return
  }
  edit.set(slice.resources, resource, record)
  const first = Math.min(...holders.map(({ expires }) => expires), ...queue.map(({ until }) => until))
  put(slice.deadlines, resource, first, edit)
}

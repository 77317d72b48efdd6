/* What becomes of a request for a lock: one function an operation, K1–K7 of locks.ts. */
import { accept, alreadySo, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { waitingAnswer } from './answer.ts'
import type { BreakCause, Hold, LockEvent, LockMode, LockRecord, Waiter } from './events.ts'
import { grants, isHold, isWithin, locksOf, recordOf } from './locks.ts'
import { loopOf, loopText } from './loop.ts'

type Decided = Accepted<LockEvent> | Refusal
type State = Readonly<Tree>

interface Asked {
  readonly resource: string
  readonly mode: LockMode
  readonly ttl_ms: number
  readonly wait_ms: number
  readonly reason?: string | undefined
  readonly owner?: string | undefined
}

interface Of {
  readonly resource: string
  readonly token?: number | undefined
  readonly owner?: string | undefined
}

/** Who holds: an actor, or one of its activities. Actors have no spaces. */
const holderOf = (actor: string, owner: string | undefined): string =>
  owner === undefined ? actor : `${actor} ${owner}`

export function decideAcquire(root: State, asked: Asked, { actor, now, seq }: Context): Decided {
  const holder = holderOf(actor, asked.owner)
  const record = recordOf(locksOf(root), asked.resource)
  const held = record.holders.find((hold) => isWithin(holder, hold.holder))
  if (held !== undefined) return again(held, asked, now)
  const waiter = record.queue.find((each) => each.holder === holder)
  if (waiter !== undefined) return stillWaiting(record, waiter, asked, now)
  const { resource, mode, ttl_ms, reason = null } = asked
  if (isFree(record, mode))
    return accept({
      type: 'lock.granted',
      data: { resource, holder, mode, token: seq, reason, ttl_ms, expires: now + ttl_ms },
    })
  if (asked.wait_ms <= 0) return taken(record, now)
  const loop = loopOf(locksOf(root), { resource, holder, mode })
  if (loop !== undefined) return deadlock(resource, loop)
  return accept({
    type: 'lock.queued',
    data: { resource, holder, mode, ticket: seq, reason, ttl_ms, until: now + asked.wait_ms },
  })
}

export function decideRenew(
  root: State,
  { resource, token, ttl_ms, owner }: Of & { readonly token: number; readonly ttl_ms?: number | undefined },
  { actor, now }: Context,
): Decided {
  const record = recordOf(locksOf(root), resource)
  const holder = holderOf(actor, owner)
  const hold = record.holders.find((each) => isHold(each, holder, token))
  return hold === undefined ? lost(record, holder, token) : renewed(resource, hold, ttl_ms ?? hold.ttl_ms, now)
}

export function decideRelease(root: State, { resource, token, owner }: Of, { actor, now, seq }: Context): Decided {
  const record = recordOf(locksOf(root), resource)
  const holder = holderOf(actor, owner)
  const hold = record.holders.find((each) => each.holder === holder)
  if (hold !== undefined && (token ?? hold.token) === hold.token) {
    const rest = { ...record, holders: record.holders.filter((each) => each !== hold) }
    return accept({ type: 'lock.released', data: { resource, holder, token: hold.token } }, ...grants(rest, now, seq))
  }
  if (token === undefined && record.queue.some((each) => each.holder === holder)) {
    const rest = { ...record, queue: record.queue.filter((each) => each.holder !== holder) }
    return accept(
      { type: 'lock.wait-ended', data: { resource, holder, cause: 'withdrawn' } },
      ...grants(rest, now, seq),
    )
  }
  return token === undefined && record.holders.length === 0 ? accept() : lost(record, holder, token)
}

interface Break extends Of {
  readonly cause: BreakCause
  readonly note?: string | undefined
}

/** K7 */
export function decideBreak(
  root: State,
  { resource, token, cause, note }: Break,
  { actor: by, now, seq }: Context,
): Decided {
  const record = recordOf(locksOf(root), resource)
  const broken = record.holders.filter((hold) => token === undefined || hold.token === token)
  const rest = { ...record, holders: record.holders.filter((hold) => !broken.includes(hold)) }
  if (broken.length === 0) return accept()
  return accept(
    ...broken.map(({ holder, token: old }): LockEvent => ({
      type: 'lock.broken',
      data: { resource, holder, token: old, cause, by, note: note ?? null },
    })),
    ...grants(rest, now, seq),
  )
}

/** K2 */
const isFree = ({ holders, queue }: LockRecord, mode: LockMode): boolean =>
  queue.length === 0 && (holders.length === 0 || (mode === 'shared' && holders.every((hold) => hold.mode === 'shared')))

/** K6: an exclusive hold is good for sharing, too. Others may rely on the time that it has. */
function again(hold: Hold, { resource, mode, ttl_ms }: Asked, now: number): Decided {
  if (mode === 'shared' || hold.mode === 'exclusive') return renewed(resource, hold, Math.max(ttl_ms, hold.ttl_ms), now)
  return refuse(
    'LEASE_HELD',
    `${hold.holder} shares "${resource}" already; two who both wait to have it alone would wait forever`,
    {
      hint: `steadfold lock release ${word(resource)}, then acquire it anew`,
      details: { resource, holders: [hold] },
    },
  )
}

/**
 * Of the wait that is asked for: who asks every few milliseconds, or whenever a commit comes, is told where it stands, and is
 * not put on record each time.
 */
const STILL_LONG = 0.9

function stillWaiting(record: LockRecord, waiter: Waiter, asked: Asked, now: number): Decided {
  const { resource, mode, ttl_ms, wait_ms } = asked
  if (waiter.mode !== mode)
    return refuse('LEASE_HELD', `${waiter.holder} waits for "${resource}" already, ${waiter.mode}`, {
      hint: `steadfold lock release ${word(resource)} takes the request back`,
    })
  if (wait_ms <= 0) return taken(record, now)
  const until = now + wait_ms
  const { holder, ticket, reason } = waiter
  const isLong = waiter.until - now >= wait_ms * STILL_LONG
  if (isLong && ttl_ms === waiter.ttl_ms) return alreadySo(waitingAnswer({ resource, holder, until: waiter.until }))
  return accept({
    type: 'lock.queued',
    data: { resource, holder, mode, ticket, reason, ttl_ms, until: Math.max(until, waiter.until) },
  })
}

const renewed = (resource: string, { holder, token, mode }: Hold, ttl_ms: number, now: number): Decided =>
  accept({ type: 'lock.renewed', data: { resource, holder, token, mode, ttl_ms, expires: now + ttl_ms } })

function taken({ resource, holders, queue }: LockRecord, now: number): Refusal {
  const left = Math.ceil((Math.max(...holders.map(({ expires }) => expires)) - now) / 1000)
  const names = holders.map(({ holder }) => holder).join(', ')
  const behind = queue.length === 0 ? '' : `, and ${queue.length} in the queue`
  return refuse('LEASE_HELD', `"${resource}" is held by ${names} for ${left} s more${behind}`, {
    hint: `steadfold lock acquire ${word(resource)} --wait 1m waits in the queue`,
    details: { resource, holders, queue },
  })
}

function deadlock(resource: string, loop: ReturnType<typeof loopOf>): Refusal {
  return refuse('DEADLOCK', `waiting for "${resource}" would never end: ${loopText(loop ?? [])}`, {
    hint: 'release what you hold, then acquire all of it in one order; or steadfold lock break RESOURCE --cause deadlock',
    details: { loop },
  })
}

function lost({ resource, holders }: LockRecord, holder: string, token: number | undefined): Refusal {
  const mine = token === undefined ? '' : ` under token ${token}`
  const now =
    holders.length === 0
      ? 'nobody does'
      : `${holders.map((each) => `${each.holder} does, under token ${each.token}`).join(', ')}`
  return refuse('LEASE_LOST', `${holder} does not hold "${resource}"${mine}: ${now}`, {
    hint: 'stop what relies on it, and acquire it anew; steadfold log says what became of it',
    details: { resource, holders },
  })
}

/** A resource as a word of a shell. */
const word = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

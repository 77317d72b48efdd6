/*
 * A lock, held for as long as a program wants it.
 *
 * H1. It is renewed until it is given back. A session that is closed gives it back.
 * H2. Its holder is told when it is lost: broken by somebody, or run out while the store could not be reached.
 * H3. Each call is a holder of its own, also where one actor calls twice: one waits for the other.
 */
import { assertSession } from '../kernel/about-session.ts'
import { actor, amount, assertGiven, assertOptions, call, signal, text, type Rule } from '../kernel/arguments.ts'
import { closed } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'
import { whileOpen } from './change.ts'
import { standInQueue, type Asked, type Hold, type LockRequest } from './queue.ts'
import { renewing, type Renewing } from './renewing.ts'

const TTL_MS = 60_000
export const LEAST_TTL_MS = 1000

export interface HeldLock {
  readonly resource: string
  /** The actor, and behind a blank the owner. */
  readonly holder: string
  /** The activity of the actor that holds it: one for each call. */
  readonly owner: string
  /** Fencing token, greater than that of every hold before. */
  readonly token: number
  /** H2: aborts, with the reason, a third of `ttl_ms` later at most. What is done from then on is not under the lock. */
  readonly lost: AbortSignal
  /** Gives it back. Nothing happens where it was lost, or given back before. */
  release(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const isOwner = (value: unknown): boolean => typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value)

const RULES: Readonly<Record<keyof LockRequest, Rule>> = {
  resource: text,
  mode: { fits: (value) => value === 'exclusive' || value === 'shared', must: 'must be "exclusive" or "shared"' },
  ttl_ms: {
    // A lock that runs out between two renewals would be worth nothing.
    fits: (value) => Number.isSafeInteger(value) && Number(value) >= LEAST_TTL_MS,
    must: `must be a whole number of milliseconds, ${LEAST_TTL_MS} or more`,
  },
  wait_ms: amount,
  reason: text,
  actor,
  within: { fits: (value) => isOwner((value as Partial<HeldLock> | null)?.owner), must: 'must be a lock that is held' },
  signal,
  onWait: call,
}

/** Waits for its turn, first come, first served. Throws LEASE_HELD without waiting, WAIT_TIMEOUT, DEADLOCK, and what `signal` aborts with. */
export async function holdLock(session: Session, request: LockRequest): Promise<HeldLock> {
  assertSession(session, 'holdLock')
  assertOptions('holdLock', request, RULES)
  assertGiven('holdLock', request, 'resource')
  const { within, mode = 'exclusive', ttl_ms = TTL_MS, wait_ms = Infinity, ...rest } = request
  const own = crypto.randomUUID().slice(0, 8)
  const owner = within === undefined ? own : `${within.owner}.${own}`
  return whileOpen(session, request.signal, async (signal) => {
    signal.throwIfAborted()
    const asked = { ...rest, mode, ttl_ms, wait_ms, owner, signal }
    const lock = keep(session, asked, await standInQueue(session, asked))
    if (signal.aborted) await lock.release()
    signal.throwIfAborted()
    return lock
  })
}

function keep(session: Session, asked: Asked & Pick<HeldLock, 'owner'>, hold: Hold): HeldLock {
  const { resource, holder, token } = hold
  const { owner, actor: who } = asked
  const lost = new AbortController()
  // Its holder renews it, and gives it back.
  const kept = hold.again ? undefined : renewed(session, asked, token, (why) => lost.abort(why))
  let released: Promise<void> | undefined
  const release = () => (released ??= giveBack())
  async function giveBack(): Promise<void> {
    session.leaving.delete(leave)
    await kept?.stop()
    // Refused when it was lost. One that cannot be given back runs out.
    if (kept !== undefined)
      await session.run('lock.release', { resource, token, owner }, { actor: who }).catch(() => undefined)
  }
  function leave(): Promise<void> {
    lost.abort(closed(`session ${session.id}`))
    return release()
  }
  session.leaving.add(leave)
  return { resource, holder, owner, token, lost: lost.signal, release, [Symbol.asyncDispose]: release }
}

/** H1 */
function renewed(session: Session, asked: Asked, token: number, lost: (why: Error) => void): Renewing {
  const { resource, owner, actor: who, ttl_ms } = asked
  const options = { actor: who, durability: 'relaxed' } as const
  const renew = () => session.run('lock.renew', { resource, token, ttl_ms, owner }, options)
  const kept = renewing({ ttl_ms, asked: session.now(), now: session.now, renew, lost })
  // A lock alone keeps no program alive: it runs out.
  kept.timer.unref()
  return kept
}

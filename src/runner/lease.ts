/*
 * Who works on a session: one runner drives it and holds its lease, others join and take steps under leases of their own.
 *
 * L1. A runner that cannot renew has lost its steps when its lease is over, by the clock of the store.
 * L2. Where other hosts may take over, its workers are stopped before that: nothing runs twice at once.
 * L3. A session that is closed under its runner is given back at once; its workers are found by who runs it again.
 */
import type { Lease } from '../domain/session/events.ts'
import type { Runner } from '../domain/steps/events.ts'
import type { ProcessRef } from '../kernel/care/recovery.ts'
import { closed } from '../kernel/error.ts'
import { accepted, type Answer } from '../kernel/operation/answer.ts'
import type { Session } from '../kernel/session.ts'
import { renewing } from '../waiting/renewing.ts'
import { Bound } from './bound.ts'
import type { RunnerDeps } from './ports.ts'
import { planRecovery, recover } from './recover.ts'

const TTL_MS = 30_000

export interface HeldLease {
  readonly token: number
  /** Aborts, with the reason, when it is over or somebody else's. */
  readonly lost: AbortSignal
  /** L2; undefined where workers outlive their runner and are adopted. */
  readonly bound: Bound | undefined
  release(): Promise<void>
}

export interface Keeping {
  readonly actor: string
  readonly ttl_ms?: number | undefined
}

/** Drives the session. Throws LEASE_HELD while another runner may be at work; one that is dead by evidence is recovered from. */
export async function holdLease(
  deps: RunnerDeps,
  session: Session,
  { actor, ttl_ms = TTL_MS }: Keeping,
): Promise<HeldLease> {
  const { host, store } = deps.workspace.kernel
  await session.refresh()
  const judge = (process: ProcessRef) => deps.workers.evidence(process)
  const plan = await planRecovery(session, judge, host.now())
  // Refused when another runner was quicker; who of us two has the session then is told by the lease.
  if (plan !== undefined && plan.token !== null) await recover(session, plan, actor)
  const asked = host.now()
  const answer = await session.run('session.acquire', { ttl_ms, process: deps.workers.self() }, { actor })
  // The answer of session.acquire is the lease.
  const { token } = accepted(answer).value as Lease
  return keep(deps, session, {
    token,
    ttl_ms,
    asked,
    bound: store === undefined ? undefined : new Bound(host.now),
    renew: () => session.run('session.renew', { token, ttl_ms }, { actor }),
    release: () => session.run('session.release', { token }, { actor }),
  })
}

/** Joins as one who takes steps. */
export async function joinRunners(
  deps: RunnerDeps,
  session: Session,
  { actor, ttl_ms = TTL_MS }: Keeping,
): Promise<HeldLease> {
  const { host } = deps.workspace.kernel
  const asked = host.now()
  const answer = await session.run('runner.join', { ttl_ms, process: deps.workers.self() }, { actor })
  // The answer of runner.join is the runner.
  const { token } = accepted(answer).value as Runner
  return keep(deps, session, {
    token,
    ttl_ms,
    asked,
    bound: new Bound(host.now),
    renew: () => session.run('runner.renew', { token, ttl_ms }, { actor }),
    release: () => session.run('runner.leave', { token }, { actor }),
  })
}

interface Kept {
  readonly token: number
  readonly ttl_ms: number
  /** When it was asked for: it lasts at least from then. */
  readonly asked: number
  readonly bound: Bound | undefined
  readonly renew: () => Promise<Answer>
  readonly release: () => Promise<Answer>
}

function keep(deps: RunnerDeps, session: Session, { token, ttl_ms, asked, bound, ...ask }: Kept): HeldLease {
  const { now } = deps.workspace.kernel.host
  const lost = new AbortController()
  const renewed = (at: number) => bound?.renewed(at, ttl_ms)
  renewed(asked)
  const kept = renewing({ ttl_ms, asked, now, renew: ask.renew, renewed, lost: (why) => lost.abort(why) })
  const release = async (): Promise<void> => {
    session.leaving.delete(leave)
    await kept.stop()
    // Refused when it was lost, which was told before; one that cannot be given back runs out.
    await ask.release().catch(() => undefined)
  }
  // L3
  const leave = (): Promise<void> => {
    lost.abort(closed(`session ${session.id}`))
    return release()
  }
  session.leaving.add(leave)
  return { token, lost: lost.signal, bound, release }
}

/*
 * One runner per session: it holds the session's lease while it works.
 */
import type { Lease, ProcessRef } from '../domain/session/events.ts'
import { EngineError } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'
import { accepted } from './ground.ts'
import type { RunnerDeps } from './ports.ts'
import { planRecovery, recover } from './recover.ts'

const TTL_MS = 30_000

export interface HeldLease {
  readonly token: number
  /** Aborts, with the reason, when somebody else took the session. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/** Throws LEASE_HELD while another runner may be at work; one that is dead by evidence is recovered from. */
export async function holdLease(deps: RunnerDeps, session: Session, actor: string): Promise<HeldLease> {
  const { host } = deps.workspace.kernel
  await session.refresh()
  const judge = (process: ProcessRef) => deps.workers.evidence(process)
  const plan = await planRecovery(session, judge, host.now())
  // Refused when another runner was quicker; who of us two has the session then is told by the lease.
  if (plan !== undefined && plan.token !== null) await recover(session, plan, actor)
  const answer = accepted(
    await session.run('session.acquire', { ttl_ms: TTL_MS, process: deps.workers.self() }, { actor }),
  )
  // The answer of session.acquire is the lease.
  const { token } = answer.value as Lease
  const lost = new AbortController()
  let renewed = host.now()
  const renewing = setInterval(() => {
    renew(session, token, actor).then(
      (refusal) => (refusal === undefined ? (renewed = host.now()) : lost.abort(refusal)),
      // A store that does not answer for a while is no loss; one that does not answer until the lease is over is.
      (error: unknown) => (host.now() - renewed > TTL_MS ? lost.abort(error) : undefined),
    )
  }, TTL_MS / 3)
  return {
    token,
    lost: lost.signal,
    release: async () => {
      clearInterval(renewing)
      // Refused when it was lost, which was told before; one that cannot be given back runs out.
      await session.run('session.release', { token }, { actor }).catch(() => undefined)
    },
  }
}

/** Why the lease is lost, when it is. */
async function renew(session: Session, token: number, actor: string): Promise<EngineError | undefined> {
  const answer = await session.run('session.renew', { token, ttl_ms: TTL_MS }, { actor })
  return answer.kind === 'refused' ? new EngineError(answer.code, answer.message, answer) : undefined
}

/*
 * One runner per session: it holds the session's lease while it works.
 */
import type { Lease } from '../domain/session/events.ts'
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
  const plan = await planRecovery(session, (process) => deps.workers.evidence(process), host.now())
  // Refused when another runner was quicker; who of us two has the session then is told by the lease.
  if (plan !== undefined) await recover(session, plan, actor)
  const answer = accepted(
    await session.run('session.acquire', { ttl_ms: TTL_MS, process: deps.workers.self() }, { actor }),
  )
  // The answer of session.acquire is the lease.
  const { token } = answer.value as Lease
  const lost = new AbortController()
  const renewing = setInterval(
    () => void renew(session, token, actor).catch((error: unknown) => lost.abort(error)),
    TTL_MS / 3,
  )
  return {
    token,
    lost: lost.signal,
    release: async () => {
      clearInterval(renewing)
      // Refused when it was lost, which was told before.
      await session.run('session.release', { token }, { actor })
    },
  }
}

async function renew(session: Session, token: number, actor: string): Promise<void> {
  const answer = await session.run('session.renew', { token, ttl_ms: TTL_MS }, { actor })
  if (answer.kind === 'refused') throw new EngineError(answer.code, answer.message, answer)
}

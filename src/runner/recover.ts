import { sessionOf } from '../domain/session/session.ts'
import { diagnose } from '../domain/session/recovery.ts'
import type { ProcessRef } from '../domain/session/events.ts'
import { stepRows } from '../domain/steps/views.ts'
import type { RecoveryPlan, Verdict } from '../kernel/recovery.ts'
import type { Session } from '../kernel/session.ts'
import type { Answer } from '../kernel/answer.ts'

export type Judge = (process: ProcessRef) => Verdict

const UNSEEN: Verdict = { kind: 'unknown', reasons: ['its process is not known'] }

/** What recovering the session would do; undefined when it is not lost (V1, V2). */
export async function planRecovery(session: Session, judge: Judge, now: number): Promise<RecoveryPlan | undefined> {
  const root = await session.stateAt()
  const state = sessionOf(root)
  const lease = state?.lease ?? null
  if (state === undefined || lease === null) return undefined
  const diagnosis = diagnose(lease, now, lease.process === null ? UNSEEN : judge(lease.process))
  if (diagnosis === undefined) return undefined
  const running = stepRows(root).filter(({ status }) => status === 'running')
  return {
    session: session.id,
    name: state.name,
    holder: lease.holder,
    token: lease.token,
    ...diagnosis,
    last_seen: session.updatedAt,
    rebuild: session.opened,
    release: [`lease ${lease.token} of ${lease.holder}`],
    return: running.map(({ name }) => `step ${name}`),
    then: running.length > 0 ? `steadfold run --session ${state.name}` : `steadfold show --session ${state.name}`,
  }
}

/** Carries a plan out in one commit; refused when the lease is another's by now. */
export function recover(session: Session, plan: RecoveryPlan, actor?: string): Promise<Answer> {
  const { token, cause, evidence } = plan
  return session.run('session.recover', { token, cause, evidence: [...evidence] }, { actor })
}

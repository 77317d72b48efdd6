/** What a session looks like to whoever asks what needs a person, and who in it is lost, by the clock of its store. */
import { sweepers } from './compose/sweepers.ts'
import { glance } from './domain/observability/inbox.ts'
import { evidence } from './drivers/process/evidence.ts'
import { isElsewhere } from './kernel/about-session.ts'
import type { Glance } from './kernel/care/inbox.ts'
import type { RecoveryPlan } from './kernel/care/recovery.ts'
import type { Session } from './kernel/session.ts'
import { planRecovery } from './runner/recover.ts'

export async function glanceAt(session: Session): Promise<Glance> {
  const { id, seq, damage, updatedAt } = session
  const damaged = damage !== undefined
  const now = session.now()
  const elsewhere = isElsewhere(session)
  const lost = damaged || elsewhere ? undefined : await lostAt(session)
  return glance({ id, seq, updated_at: updatedAt, state: await session.stateAt(), damaged, elsewhere, lost }, now)
}

/** What recovering the session would do; undefined when nobody in it is lost. */
export const lostAt = (session: Session): Promise<RecoveryPlan | undefined> =>
  planRecovery(session, evidence, session.now(), sweepers)

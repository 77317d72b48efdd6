/** What keeps a workspace sound, of all modules: recovery, retention, health. */
import { sweepers } from './compose/sweepers.ts'
import type { Answer } from './kernel/answer.ts'
import type { Figure } from './kernel/health.ts'
import type { RecoveryPlan } from './kernel/recovery.ts'
import { policyOf, type Policy, type Retained, type RetentionPlan } from './kernel/retention.ts'
import type { Session } from './kernel/session.ts'
import type { Workspace } from './kernel/workspace.ts'

/** Sessions whose holder or agents are gone, by evidence. */
export const recovery = {
  /** What recovering the session would do; undefined when nobody in it is lost. */
  async plan(session: Session): Promise<RecoveryPlan | undefined> {
    return (await import('./glance.ts')).lostAt(session, Date.now())
  },
  /** Does what the plan says, in one commit; refused when the lease is another's by now. */
  async carryOut(session: Session, plan: RecoveryPlan, actor?: string, hold = false): Promise<Answer> {
    return (await import('./runner/recover.ts')).recover(session, plan, actor, hold)
  },
}

export interface RetentionOptions extends Partial<Policy> {
  /** Id of the only session to look at. */
  readonly session?: string | undefined
}

/** What has ended, is done or is left over, put away. */
export const retention = {
  /** What there is to do by the policy, which the settings give where it is left open. Changes nothing. */
  async plan(workspace: Workspace, { session, ...policy }: RetentionOptions = {}): Promise<RetentionPlan> {
    const { planRetention } = await import('./runner/retention.ts')
    const whole = { ...policyOf(workspace.kernel.settings), ...policy }
    return planRetention(workspace, { policy: whole, sweepers, only: session })
  },
  /** Does it, one step after the other; what one meets does not stop the rest. */
  async carryOut(workspace: Workspace, plan: RetentionPlan, actor?: string): Promise<readonly Retained[]> {
    return (await import('./runner/retention.ts')).carryOutRetention(workspace, plan, actor)
  },
}

/** Figures of how well a workspace is; the kernel judges them. */
export const health = {
  async ofSession(session: Session, { kernel }: Pick<Workspace, 'kernel'>): Promise<readonly Figure[]> {
    const { figuresOf } = await import('./domain/observability/figures.ts')
    const { id, damage, updatedAt: at } = session
    const { segments } = (await kernel.facts?.(id)) ?? { segments: [] }
    const log_bytes = segments.reduce((sum, { bytes }) => sum + bytes, 0)
    return figuresOf({ state: await session.stateAt(), at, now: Date.now(), log_bytes, damaged: damage !== undefined })
  },
  /** Of the `.steadfold` folder; after the sessions were opened, which takes in what can be. */
  ofFolder: async (folder: string): Promise<readonly Figure[]> =>
    (await import('./drivers/files/figures.ts')).folderFigures(folder),
}

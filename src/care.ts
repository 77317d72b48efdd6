/** What keeps a workspace sound, of all modules: recovery, retention, health. */
import { assertWorkspace } from './compose.ts'
import { sweepers } from './compose/sweepers.ts'
import { assertSession } from './kernel/about-session.ts'
import { amount, assertFits, assertOptions, text, type Rule } from './kernel/arguments.ts'
import type { RecoveryPlan } from './kernel/care/recovery.ts'
import { policyOf, type Policy, type Retained, type RetentionPlan } from './kernel/care/retention.ts'
import type { Figure } from './kernel/health.ts'
import { given } from './kernel/json/members.ts'
import type { Answer } from './kernel/operation/answer.ts'
import type { Session } from './kernel/session.ts'
import type { Workspace } from './kernel/workspace.ts'

/** Sessions whose holder or agents are gone, by evidence. */
export const recovery = {
  /** What recovering the session would do; undefined when nobody in it is lost. */
  async plan(session: Session): Promise<RecoveryPlan | undefined> {
    assertSession(session, 'recovery.plan')
    await session.refresh()
    return (await import('./glance.ts')).lostAt(session)
  },
  /** Does what the plan says, in one commit; refused when the lease is another's by now. */
  async carryOut(session: Session, plan: RecoveryPlan, actor?: string, hold = false): Promise<Answer> {
    assertSession(session, 'recovery.carryOut')
    assertFits(plan, made('evidence'), 'recovery.carryOut: the plan', 'await recovery.plan(session)')
    return (await import('./runner/recover.ts')).recover(session, plan, actor, hold)
  },
}

type SomePolicy = { readonly [Name in keyof Policy]?: Policy[Name] | undefined }

export interface RetentionOptions extends SomePolicy {
  /** Id or name of the only session to look at. */
  readonly session?: string | undefined
}

const RETENTION: Readonly<Record<keyof RetentionOptions, Rule>> = {
  session: text,
  archive: amount,
  tidy: amount,
  stateBytes: amount,
  commits: amount,
}

/** What another call answered, told by a list it has. */
const made = (list: string): Rule => ({
  fits: (value) => typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, list)),
  must: 'must be what plan answered',
})

/** What has ended, is done or is left over, put away. */
export const retention = {
  /** What there is to do by the policy, which the settings give where it is left open. Changes nothing. */
  async plan(workspace: Workspace, options: RetentionOptions = {}): Promise<RetentionPlan> {
    assertWorkspace(workspace, 'retention.plan')
    assertOptions('retention.plan', options, RETENTION)
    const { session, ...policy } = options
    const only = session === undefined ? undefined : await idFor(workspace, session)
    const { planRetention } = await import('./runner/retention.ts')
    const whole = { ...policyOf(workspace.kernel.settings), ...given(policy) }
    return planRetention(workspace, { policy: whole, sweepers, only })
  },
  /** Does it, one step after the other; what one meets does not stop the rest. */
  async carryOut(workspace: Workspace, plan: RetentionPlan, actor?: string): Promise<readonly Retained[]> {
    assertWorkspace(workspace, 'retention.carryOut')
    assertFits(plan, made('steps'), 'retention.carryOut: the plan', 'await retention.plan(workspace)')
    return (await import('./runner/retention.ts')).carryOutRetention(workspace, plan, actor)
  },
}

async function idFor(workspace: Workspace, named: string): Promise<string> {
  const session = await workspace.session(named)
  await session.close()
  return session.id
}

/** Figures of how well a workspace is; the kernel judges them. */
export const health = {
  async ofSession(session: Session, { kernel }: Pick<Workspace, 'kernel'>): Promise<readonly Figure[]> {
    const { figuresOf } = await import('./domain/observability/figures.ts')
    const { id, damage, updatedAt: at } = session
    const { segments } = (await kernel.facts?.(id)) ?? { segments: [] }
    const log_bytes = segments.reduce((sum, { bytes }) => sum + bytes, 0)
    return figuresOf({
      state: await session.stateAt(),
      at,
      now: session.now(),
      log_bytes,
      damaged: damage !== undefined,
    })
  },
  /** Of the `.steadfold` folder; after the sessions were opened, which takes in what can be. */
  ofFolder: async (folder: string): Promise<readonly Figure[]> =>
    (await import('./drivers/files/figures.ts')).folderFigures(folder),
}

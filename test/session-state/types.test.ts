/* The types of the slices and the schemas of the slices say the same; the compiler is the test. */
import { expect, test } from 'vitest'
import type * as z from 'zod/mini'
import type { ActivitySlice } from '../../src/domain/activity/events.ts'
import type { activitySchema } from '../../src/domain/activity/schema.ts'
import type { AgentsSlice } from '../../src/domain/agents/events.ts'
import type { agentsSchema } from '../../src/domain/agents/schema.ts'
import type { ConversationSlice } from '../../src/domain/conversation/events.ts'
import type { conversationSchema } from '../../src/domain/conversation/schema.ts'
import type { LocksSlice } from '../../src/domain/locks/events.ts'
import type { locksSchema } from '../../src/domain/locks/schema.ts'
import type { HandoffsSlice, MessagesSlice } from '../../src/domain/messages/events.ts'
import type { handoffsSchema, messagesSchema } from '../../src/domain/messages/schema.ts'
import type { OrganizationSlice } from '../../src/domain/organization/events.ts'
import type { organizationSchema } from '../../src/domain/organization/schema.ts'
import type { OutputsSlice } from '../../src/domain/outputs/outputs.ts'
import type { outputsSchema } from '../../src/domain/outputs/schema.ts'
import type { PlansSlice } from '../../src/domain/plans/events.ts'
import type { plansSchema } from '../../src/domain/plans/schema.ts'
import type { SessionSlice } from '../../src/domain/session/events.ts'
import type { sessionSchema } from '../../src/domain/session/schema.ts'
import type { StepsSlice } from '../../src/domain/steps/events.ts'
import type { stepsSchema } from '../../src/domain/steps/schema.ts'
import type { SupervisionSlice } from '../../src/domain/supervision/events.ts'
import type { supervisionSchema } from '../../src/domain/supervision/schema.ts'
import type { TaskIndex, TasksSlice } from '../../src/domain/tasks/events.ts'
import type { taskIndexSchema, tasksSchema } from '../../src/domain/tasks/schema.ts'
import type { TurnsSlice } from '../../src/domain/turns/events.ts'
import type { turnsSchema } from '../../src/domain/turns/schema.ts'
import type { workflowStateSchema } from '../../src/domain/workflow/state-schema.ts'
import type { WorkflowSlice } from '../../src/domain/workflow/workflow.ts'

/** As JSON is: nothing is read-only, and a type that was put together is one. */
type Plain<T> = T extends readonly unknown[] | object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T

type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : { schema: A; slice: B }

/** A mode is written by `session.create` alone, and its user context may hold anything. */
type StoredSession = Omit<SessionSlice, 'mode' | 'user_context'>

const same: {
  readonly activity: Same<z.output<typeof activitySchema>, ActivitySlice>
  readonly agents: Same<z.output<typeof agentsSchema>, AgentsSlice>
  readonly conversation: Same<z.output<typeof conversationSchema>, ConversationSlice>
  readonly handoffs: Same<z.output<typeof handoffsSchema>, HandoffsSlice>
  readonly locks: Same<z.output<typeof locksSchema>, LocksSlice>
  readonly messages: Same<z.output<typeof messagesSchema>, MessagesSlice>
  readonly organization: Same<z.output<typeof organizationSchema>, OrganizationSlice>
  readonly outputs: Same<z.output<typeof outputsSchema>, OutputsSlice>
  readonly plans: Same<z.output<typeof plansSchema>, PlansSlice>
  readonly session: Same<Omit<z.output<typeof sessionSchema>, 'mode' | 'user_context'>, StoredSession>
  readonly steps: Same<z.output<typeof stepsSchema>, StepsSlice>
  readonly supervision: Same<z.output<typeof supervisionSchema>, SupervisionSlice>
  readonly task_index: Same<z.output<typeof taskIndexSchema>, TaskIndex>
  readonly tasks: Same<z.output<typeof tasksSchema>, TasksSlice>
  readonly turns: Same<z.output<typeof turnsSchema>, TurnsSlice>
  readonly workflow: Same<z.output<typeof workflowStateSchema>, WorkflowSlice>
} = {
  activity: true,
  agents: true,
  conversation: true,
  handoffs: true,
  locks: true,
  messages: true,
  organization: true,
  outputs: true,
  plans: true,
  session: true,
  steps: true,
  supervision: true,
  task_index: true,
  tasks: true,
  turns: true,
  workflow: true,
}

test('the schema of each slice has the type that its module folds', () => {
  expect(Object.values(same)).not.toContain(false)
})

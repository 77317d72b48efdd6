/** Every module, in the order in which their rules are asked. */
import { activityModule } from '../domain/activity/activity.ts'
import { agentsModule } from '../domain/agents/agents.ts'
import { conversationModule } from '../domain/conversation/conversation.ts'
import { dataModule } from '../domain/data/data.ts'
import { locksModule } from '../domain/locks/locks.ts'
import { handoffsModule } from '../domain/messages/handoffs.ts'
import { messagesModule } from '../domain/messages/messages.ts'
import { organizationModule } from '../domain/organization/organization.ts'
import { outputsModule } from '../domain/outputs/outputs.ts'
import { plansModule } from '../domain/plans/plans.ts'
import { sessionModule } from '../domain/session/session.ts'
import { stepsModule } from '../domain/steps/steps.ts'
import { supervisionModule } from '../domain/supervision/supervision.ts'
import { tasksModule } from '../domain/tasks/tasks.ts'
import { turnsModule } from '../domain/turns/turns.ts'
import { workflowModule } from '../domain/workflow/workflow.ts'
import type { Module } from '../kernel/state/module.ts'

export const modules: readonly Module[] = [
  sessionModule,
  organizationModule,
  agentsModule,
  tasksModule,
  plansModule,
  dataModule,
  outputsModule,
  stepsModule,
  workflowModule,
  supervisionModule,
  locksModule,
  messagesModule,
  handoffsModule,
  turnsModule,
  conversationModule,
  activityModule,
]

/*
 * The document of a session as a schema: the source of its type, and of `schemas/session-state.v3.json`.
 */
import * as z from 'zod/mini'
import { activityParts, activitySchema } from './domain/activity/schema.ts'
import { agentsParts, agentsSchema } from './domain/agents/schema.ts'
import { conversationParts, conversationSchema } from './domain/conversation/schema.ts'
import { dataSchema } from './domain/data/schema.ts'
import { lockDocument, locksParts, locksSchema } from './domain/locks/schema.ts'
import {
  channelsDocument,
  handoffsSchema,
  messagesParts,
  messagesSchema,
  queuesDocument,
} from './domain/messages/schema.ts'
import { observabilityParts, observabilitySchema } from './domain/observability/schema.ts'
import { organizationParts, organizationSchema } from './domain/organization/schema.ts'
import { outputsSchema } from './domain/outputs/schema.ts'
import { persistenceSchema } from './domain/persistence/schema.ts'
import { plansDocument, plansParts } from './domain/plans/schema.ts'
import { sessionDocument } from './domain/session/schema.ts'
import { stepsParts, stepsSchema } from './domain/steps/schema.ts'
import { supervisionParts, supervisionSchema } from './domain/supervision/schema.ts'
import { dependenciesSchema, taskIndexSchema, tasksParts, tasksSchema } from './domain/tasks/schema.ts'
import { turnsParts, turnsSchema } from './domain/turns/schema.ts'
import { workflowParts, workflowStateSchema } from './domain/workflow/state-schema.ts'
import type { Members } from './kernel/json/members.ts'
import { heap, maybe, report } from './kernel/state/shapes.ts'

const execution = z.object({
  agents: agentsSchema,
  tasks: tasksSchema,
  task_index: maybe(taskIndexSchema),
  workflows: plansDocument,
})

const communication = z.object({
  message_queues: queuesDocument,
  channels: channelsDocument,
  coordination: z.object({ locks: lockDocument, dependencies: dependenciesSchema }),
  messages: messagesSchema,
  handoffs: handoffsSchema,
  locks: locksSchema,
})

export const sessionStateSchema = z.object({
  session: sessionDocument,
  organization: organizationSchema,
  execution,
  communication,
  observability: observabilitySchema,
  persistence: persistenceSchema,
  workflow: workflowStateSchema,
  supervision: supervisionSchema,
  steps: stepsSchema,
  outputs: outputsSchema,
  turns: turnsSchema,
  conversation: conversationSchema,
  activity: activitySchema,
  data: dataSchema,
})

/** What `get` without a path answers with. */
export type SessionState = z.output<typeof sessionStateSchema>

const PARTS = {
  heap,
  report,
  ...organizationParts,
  ...agentsParts,
  ...tasksParts,
  ...plansParts,
  ...locksParts,
  ...messagesParts,
  ...observabilityParts,
  ...stepsParts,
  ...supervisionParts,
  ...turnsParts,
  ...conversationParts,
  ...activityParts,
  ...workflowParts,
}

const SECTIONS: Readonly<Record<string, string>> = {
  session: 'what the session is, who holds it, and where it is in its life',
  organization: 'teams, projects and limits',
  execution: 'agents, tasks, sprints and epics',
  communication: 'messages, handoffs, locks and dependencies; message_queues, channels and coordination are derived',
  observability: 'metrics, recent events and health; derived when it is read',
  persistence: 'checkpoint and log; derived when it is read',
  workflow: 'states, the current one, and what led there',
  supervision: 'supervisors, their workers, and what came of them',
  steps: 'the ledger of paid work',
  outputs: 'named values passed between steps',
  turns: 'channels in which agents take turns',
  conversation: 'conversations, and what agents know of them',
  activity: 'runs of coding agents, as their own programs tell of them',
  data: 'free JSON',
}

export type Draft = '2020-12' | 'draft-07'

interface Options {
  readonly draft?: Draft
  /** Takes no members but those it names; published schemas do, so that later versions may have more. */
  readonly closed?: boolean
}

/** The JSON Schema of the document. */
export function sessionStateJsonSchema({ draft = '2020-12', closed = false }: Options = {}): Members {
  const names = z.registry<{ readonly id: string }>()
  for (const [id, part] of Object.entries(PARTS)) names.add(part, { id })
  const {
    $schema,
    properties = {},
    ...rest
  } = z.toJSONSchema(sessionStateSchema, {
    target: draft === 'draft-07' ? 'draft-7' : 'draft-2020-12',
    io: closed ? 'output' : 'input',
    unrepresentable: 'throw',
    metadata: names,
    override: ({ jsonSchema }) => tidy(jsonSchema),
  })
  const told = Object.entries(properties).map(([name, section]) => [
    name,
    Object.assign({ description: SECTIONS[name] }, section),
  ])
  return {
    $schema,
    $id: `urn:steadfold:schema:session-state.v3${draft === 'draft-07' ? ':draft-07' : ''}`,
    title: 'Session state',
    description: 'What steadfold state get prints: everything a session holds, and what is derived from it',
    properties: Object.fromEntries(told) as unknown,
    ...rest,
  }
}

interface Made {
  format?: string
  pattern?: string
  maximum?: number
  propertyNames?: unknown
  id?: string
}

/** What says nothing goes: a format says what its regular expression would, and names of members are always text. */
function tidy(schema: Made): void {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames
  delete schema.id
}

/** Every operation, and the typed calls they give the library. A noun's operations are loaded when one is asked for. */
import type { ConversationPorts } from '../domain/conversation/ports.ts'
import { host } from '../drivers/host/host.ts'
import type { NounCalls } from '../kernel/operation/calls.ts'
import { catalogue } from '../kernel/operation/catalogue.ts'
import type { Catalogue, Operation, Typed } from '../kernel/operation/operation.ts'

const conversationPorts: ConversationPorts = {
  sha256: host.sha256,
  now: host.now,
  verify: async (events) => (await import('../drivers/nostr/nostr.ts')).verify(events),
  signer: async () => (await import('../drivers/nostr/nostr.ts')).openSigner(process.env['STEADFOLD_NOSTR_KEY']),
}

/** Who answers when a relay asks; nobody where there is no key. */
export const relaySigner = async () =>
  (process.env['STEADFOLD_NOSTR_KEY'] ?? '') === '' ? undefined : conversationPorts.signer()

export const operations: Catalogue = catalogue({
  session: async () => [
    ...(await import('../domain/session/operations.ts')).sessionOperations,
    ...(await import('../domain/session/configure.ts')).configureOperations(() => operations.all()),
    ...(await import('../domain/session/sweep-operations.ts')).sweepOperations(
      (await import('./sweepers.ts')).sweepers,
    ),
  ],
  state: async () => (await import('../domain/data/operations.ts')).dataOperations,
  output: async () => (await import('../domain/outputs/operations.ts')).outputsOperations,
  step: async () => (await import('../domain/steps/operations.ts')).stepsOperations,
  runner: async () => (await import('../domain/steps/runner-operations.ts')).runnerOperations,
  consent: async () => (await import('../domain/session/consent-operations.ts')).consentOperations,
  agent: async () => (await import('../domain/agents/operations.ts')).agentOperations,
  pool: async () => (await import('../domain/agents/operations.ts')).poolOperations,
  team: async () => (await import('../domain/organization/operations.ts')).teamOperations,
  project: async () => (await import('../domain/organization/operations.ts')).projectOperations,
  budget: async () => (await import('../domain/organization/operations.ts')).budgetOperations,
  task: async () => (await import('../domain/tasks/operations.ts')).taskOperations,
  dependency: async () => (await import('../domain/tasks/dependency-operations.ts')).dependencyOperations,
  epic: async () => (await import('../domain/plans/operations.ts')).epicOperations,
  sprint: async () => (await import('../domain/plans/operations.ts')).sprintOperations,
  lock: async () => (await import('../domain/locks/operations.ts')).lockOperations,
  message: async () => (await import('../domain/messages/operations.ts')).messageOperations,
  handoff: async () =>
    (await import('../domain/messages/handoff-operations.ts')).handoffOperations(
      await import('../domain/tasks/hand-over.ts'),
    ),
  channel: async () => (await import('../domain/turns/operations.ts')).channelOperations,
  turn: async () => (await import('../domain/turns/operations.ts')).turnOperations,
  chat: async () => (await import('../domain/conversation/operations.ts')).conversationOperations(conversationPorts),
  workflow: async () => [
    ...(await import('../domain/workflow/operations.ts')).workflowOperations,
    ...(await import('../domain/workflow/operations.ts')).exportOperations(
      async () => (await import('../domain/supervision/views.ts')).supervisorsIn,
    ),
  ],
  supervise: async () => (await import('../domain/supervision/operations.ts')).superviseOperations,
  activity: async () => (await import('../domain/activity/operations.ts')).activityOperations,
})

type Every<Noun extends string, List extends readonly (Operation & Typed<string, unknown>)[]> = NounCalls<
  Noun,
  List[number]
>

/** Typed calls: `session.state.set({ path, value })` is `session.run('state.set', …)`. */
export interface OperationCalls {
  readonly session: Every<'session', typeof import('../domain/session/operations.ts').sessionOperations> &
    Every<'session', ReturnType<typeof import('../domain/session/configure.ts').configureOperations>> &
    Every<'session', ReturnType<typeof import('../domain/session/sweep-operations.ts').sweepOperations>>
  readonly state: Every<'state', typeof import('../domain/data/operations.ts').dataOperations>
  readonly output: Every<'output', typeof import('../domain/outputs/operations.ts').outputsOperations>
  readonly step: Every<'step', typeof import('../domain/steps/operations.ts').stepsOperations>
  readonly runner: Every<'runner', typeof import('../domain/steps/runner-operations.ts').runnerOperations>
  readonly consent: Every<'consent', typeof import('../domain/session/consent-operations.ts').consentOperations>
  readonly agent: Every<'agent', typeof import('../domain/agents/operations.ts').agentOperations>
  readonly pool: Every<'pool', typeof import('../domain/agents/operations.ts').poolOperations>
  readonly team: Every<'team', typeof import('../domain/organization/operations.ts').teamOperations>
  readonly project: Every<'project', typeof import('../domain/organization/operations.ts').projectOperations>
  readonly budget: Every<'budget', typeof import('../domain/organization/operations.ts').budgetOperations>
  readonly task: Every<'task', typeof import('../domain/tasks/operations.ts').taskOperations>
  readonly dependency: Every<
    'dependency',
    typeof import('../domain/tasks/dependency-operations.ts').dependencyOperations
  >
  readonly epic: Every<'epic', typeof import('../domain/plans/operations.ts').epicOperations>
  readonly sprint: Every<'sprint', typeof import('../domain/plans/operations.ts').sprintOperations>
  readonly lock: Every<'lock', typeof import('../domain/locks/operations.ts').lockOperations>
  readonly message: Every<'message', typeof import('../domain/messages/operations.ts').messageOperations>
  readonly handoff: Every<
    'handoff',
    ReturnType<typeof import('../domain/messages/handoff-operations.ts').handoffOperations>
  >
  readonly channel: Every<'channel', typeof import('../domain/turns/operations.ts').channelOperations>
  readonly turn: Every<'turn', typeof import('../domain/turns/operations.ts').turnOperations>
  readonly chat: Every<'chat', ReturnType<typeof import('../domain/conversation/operations.ts').conversationOperations>>
  readonly workflow: Every<'workflow', typeof import('../domain/workflow/operations.ts').workflowOperations> &
    Every<'workflow', ReturnType<typeof import('../domain/workflow/operations.ts').exportOperations>>
  readonly supervise: Every<'supervise', typeof import('../domain/supervision/operations.ts').superviseOperations>
  readonly activity: Every<'activity', typeof import('../domain/activity/operations.ts').activityOperations>
}

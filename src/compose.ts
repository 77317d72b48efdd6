/** The only file that knows drivers, modules and surfaces. */
import * as path from 'node:path'
import { sweepers } from './care.ts'
import { agentsModule } from './domain/agents/agents.ts'
import { conversationModule } from './domain/conversation/conversation.ts'
import type { ConversationPorts } from './domain/conversation/ports.ts'
import { dataModule } from './domain/data/data.ts'
import { locksModule } from './domain/locks/locks.ts'
import { handoffsModule } from './domain/messages/handoffs.ts'
import { messagesModule } from './domain/messages/messages.ts'
import { organizationModule } from './domain/organization/organization.ts'
import { outputsModule } from './domain/outputs/outputs.ts'
import { plansModule } from './domain/plans/plans.ts'
import { sessionModule } from './domain/session/session.ts'
import { stepsModule } from './domain/steps/steps.ts'
import { supervisionModule } from './domain/supervision/supervision.ts'
import { tasksModule } from './domain/tasks/tasks.ts'
import { turnsModule } from './domain/turns/turns.ts'
import { workflowModule } from './domain/workflow/workflow.ts'
import { checkpointOnThread, hasProgram } from './drivers/checkpointer/thread.ts'
import { openFolder, readSettings } from './drivers/files/config.ts'
import { logFacts } from './drivers/files/facts.ts'
import { FilesLog } from './drivers/files/files.ts'
import { spoolWaits } from './drivers/files/spool-waits.ts'
import { host } from './drivers/host/host.ts'
import { MemoryLog } from './drivers/memory/memory.ts'
import { makeFolder as makeEventFolder } from './kernel/fold.ts'
import type { SessionState } from './state-schema.ts'
import { DEFAULTS, type Kernel, type Settings } from './kernel/kernel.ts'
import type { Observer } from './kernel/observer.ts'
import { EngineError } from './kernel/error.ts'
import type { Log } from './kernel/ports.ts'
import type { Runner } from './kernel/runner.ts'
import { withCalls, type NounCalls } from './kernel/calls.ts'
import { catalogue } from './kernel/catalogue.ts'
import type { Operation, Typed } from './kernel/operation.ts'
import type { Session } from './kernel/session.ts'
import { placesOf } from './kernel/view.ts'
import { Workspace } from './kernel/workspace.ts'
import { makeCheckpoint } from './kernel/make-checkpoint.ts'

const modules = [
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
]
const conversationPorts: ConversationPorts = {
  sha256: host.sha256,
  now: host.now,
  verify: async (events) => (await import('./drivers/nostr/nostr.ts')).verify(events),
  signer: async () => (await import('./drivers/nostr/nostr.ts')).openSigner(process.env['STEADFOLD_NOSTR_KEY']),
}

/** Who answers when a relay asks; nobody where there is no key. */
export const relaySigner = async () =>
  process.env['STEADFOLD_NOSTR_KEY'] === undefined ? undefined : conversationPorts.signer()

export const operations = catalogue({
  session: async () => [
    ...(await import('./domain/session/operations.ts')).sessionOperations,
    ...(await import('./domain/session/sweep-operations.ts')).sweepOperations(sweepers),
  ],
  state: async () => (await import('./domain/data/operations.ts')).dataOperations,
  output: async () => (await import('./domain/outputs/operations.ts')).outputsOperations,
  step: async () => (await import('./domain/steps/operations.ts')).stepsOperations,
  consent: async () => (await import('./domain/session/consent-operations.ts')).consentOperations,
  agent: async () => (await import('./domain/agents/operations.ts')).agentOperations,
  pool: async () => (await import('./domain/agents/operations.ts')).poolOperations,
  team: async () => (await import('./domain/organization/operations.ts')).teamOperations,
  project: async () => (await import('./domain/organization/operations.ts')).projectOperations,
  budget: async () => (await import('./domain/organization/operations.ts')).budgetOperations,
  task: async () => (await import('./domain/tasks/operations.ts')).taskOperations,
  dependency: async () => (await import('./domain/tasks/dependency-operations.ts')).dependencyOperations,
  epic: async () => (await import('./domain/plans/operations.ts')).epicOperations,
  sprint: async () => (await import('./domain/plans/operations.ts')).sprintOperations,
  lock: async () => (await import('./domain/locks/operations.ts')).lockOperations,
  message: async () => (await import('./domain/messages/operations.ts')).messageOperations,
  handoff: async () => (await import('./domain/messages/handoff-operations.ts')).handoffOperations,
  channel: async () => (await import('./domain/turns/operations.ts')).channelOperations,
  turn: async () => (await import('./domain/turns/operations.ts')).turnOperations,
  chat: async () => (await import('./domain/conversation/operations.ts')).conversationOperations(conversationPorts),
  workflow: async () => (await import('./domain/workflow/operations.ts')).workflowOperations,
  supervise: async () => (await import('./domain/supervision/operations.ts')).superviseOperations,
})

/** What is derived when somebody reads it, by where it stands in the document. */
const places = placesOf(
  {
    observability: async () => (await import('./domain/observability/document.ts')).observability,
    'session.updated_at': async () => (await import('./domain/session/document.ts')).lastCommit,
    'session.lifecycle.last_activity': async () => (await import('./domain/session/document.ts')).lastCommit,
    'session.user_context.workspace_path': async () => (await import('./domain/session/document.ts')).workspacePath,
    'execution.workflows.active_sprints': async () => (await import('./domain/plans/document.ts')).activeSprints,
    'communication.message_queues': async () => (await import('./domain/messages/document.ts')).queuesView,
    'communication.channels': async () => (await import('./domain/messages/document.ts')).channelsView,
    'communication.coordination.locks': async () => (await import('./domain/locks/document.ts')).lockView,
    'communication.coordination.dependencies': async () => (await import('./domain/tasks/document.ts')).dependencies,
    persistence: async () => (await import('./domain/persistence/document.ts')).persistence,
  },
  {
    outer: { 'session.lifecycle.expiry': async () => (await import('./domain/session/document.ts')).expiry },
    first: ['session', 'organization', 'execution', 'communication', 'observability', 'persistence'],
  },
)

type Every<Noun extends string, List extends readonly (Operation & Typed<string, unknown>)[]> = NounCalls<
  Noun,
  List[number]
>

/** Typed calls: `session.state.set({ path, value })` is `session.run('state.set', …)`. */
export interface OperationCalls {
  readonly session: Every<'session', typeof import('./domain/session/operations.ts').sessionOperations> &
    Every<'session', ReturnType<typeof import('./domain/session/sweep-operations.ts').sweepOperations>>
  readonly state: Every<'state', typeof import('./domain/data/operations.ts').dataOperations>
  readonly output: Every<'output', typeof import('./domain/outputs/operations.ts').outputsOperations>
  readonly step: Every<'step', typeof import('./domain/steps/operations.ts').stepsOperations>
  readonly consent: Every<'consent', typeof import('./domain/session/consent-operations.ts').consentOperations>
  readonly agent: Every<'agent', typeof import('./domain/agents/operations.ts').agentOperations>
  readonly pool: Every<'pool', typeof import('./domain/agents/operations.ts').poolOperations>
  readonly team: Every<'team', typeof import('./domain/organization/operations.ts').teamOperations>
  readonly project: Every<'project', typeof import('./domain/organization/operations.ts').projectOperations>
  readonly budget: Every<'budget', typeof import('./domain/organization/operations.ts').budgetOperations>
  readonly task: Every<'task', typeof import('./domain/tasks/operations.ts').taskOperations>
  readonly dependency: Every<
    'dependency',
    typeof import('./domain/tasks/dependency-operations.ts').dependencyOperations
  >
  readonly epic: Every<'epic', typeof import('./domain/plans/operations.ts').epicOperations>
  readonly sprint: Every<'sprint', typeof import('./domain/plans/operations.ts').sprintOperations>
  readonly lock: Every<'lock', typeof import('./domain/locks/operations.ts').lockOperations>
  readonly message: Every<'message', typeof import('./domain/messages/operations.ts').messageOperations>
  readonly handoff: Every<'handoff', typeof import('./domain/messages/handoff-operations.ts').handoffOperations>
  readonly channel: Every<'channel', typeof import('./domain/turns/operations.ts').channelOperations>
  readonly turn: Every<'turn', typeof import('./domain/turns/operations.ts').turnOperations>
  readonly chat: Every<'chat', ReturnType<typeof import('./domain/conversation/operations.ts').conversationOperations>>
  readonly workflow: Every<'workflow', typeof import('./domain/workflow/operations.ts').workflowOperations>
  readonly supervise: Every<'supervise', typeof import('./domain/supervision/operations.ts').superviseOperations>
}

/** `get` without a path answers with the whole document, whose type the composition knows. */
interface WholeDocument {
  get(): Promise<SessionState>
}

export type OpenSession = WholeDocument & Session & OperationCalls

const checkpointProgram = (): URL => new URL('./worker.js', import.meta.url)

interface Parts {
  readonly log: Log
  readonly settings?: Partial<Settings>
  /** Folder of the workspace, where there is one. */
  readonly root?: string
  readonly isBrief?: boolean
}

export function makeKernel({ log, settings = {}, root, isBrief = false }: Parts): Kernel {
  const kernel: Kernel = {
    log,
    host: isBrief ? { ...host, defer: queueMicrotask } : host,
    isBrief,
    modules,
    operations,
    places,
    folder: makeEventFolder(modules),
    settings: { ...DEFAULTS, ...settings },
    references: async (tree) => (await import('./references.ts')).danglingIn(tree),
    queryEngine: async () => (await import('./drivers/jsonpath/jsonpath.ts')).queryEngine,
    tokens: async () => (await import('./drivers/tokens/tokens.ts')).tokenCounter,
    ...(root === undefined ? {} : { facts: (session: string) => logFacts(root, session) }),
    checkpoint: (session, where) => checkpoint(kernel, session, where === 'aside' ? root : undefined),
    warn: (message) => process.emitWarning(message, 'Steadfold'),
  }
  return kernel
}

export const filesKernel = (root: string, settings: Partial<Settings> = {}, isBrief = false): Kernel =>
  makeKernel({ log: new FilesLog(root, host.sha256), settings, root, isBrief })

export const memoryKernel = (settings: Partial<Settings> = {}): Kernel =>
  makeKernel({ log: new MemoryLog(host.sha256), settings })

async function checkpoint(kernel: Kernel, session: string, root: string | undefined): Promise<number> {
  const program = checkpointProgram()
  if (root !== undefined && hasProgram(program)) {
    return checkpointOnThread(program, { root, session, settings: kernel.settings }, kernel.warn)
  }
  try {
    return await makeCheckpoint(kernel, session)
  } catch (error) {
    kernel.warn(`session ${session}: no checkpoint: ${String(error)}`)
    return 0
  }
}

export const makeWorkspace = (kernel: Kernel): Workspace<OpenSession> =>
  new Workspace(kernel, (session) => withCalls<WholeDocument & OperationCalls>(session, operations.nouns))

export interface OpenOptions {
  /** Folder that holds, or will hold, `.steadfold/`. */
  readonly dir: string
  /** Make the workspace when it is missing; the default. */
  readonly create?: boolean
  /** Over those of `.steadfold/config.json`. */
  readonly settings?: Partial<Settings>
}

/** Opens the workspace in `dir`; makes it when missing. */
export const openWorkspace = (options: OpenOptions): Promise<Workspace<OpenSession>> =>
  opened(options, false, telemetry)

/** For a program that ends after one command. */
export const openBriefly = (options: OpenOptions): Promise<Workspace<OpenSession>> => opened(options, true)

async function opened(
  { dir, create = true, settings = {} }: OpenOptions,
  isBrief: boolean,
  observe?: typeof telemetry,
): Promise<Workspace<OpenSession>> {
  const root = path.resolve(dir, '.steadfold')
  openFolder(root, create)
  const kernel = filesKernel(root, { ...readSettings(root), ...settings }, isBrief)
  const observer = await observe?.(kernel)
  const workspace = makeWorkspace(observer === undefined ? kernel : { ...kernel, observer })
  roots.set(workspace, root)
  await takeInSpool(workspace, root)
  return workspace
}

/** Loads nothing unless the settings or the environment speak of it. */
async function telemetry({ settings, warn }: Kernel): Promise<Observer | undefined> {
  const { env } = process
  const isSpokenOf = settings.telemetry || Object.keys(env).some((name) => /^(STEADFOLD_OTEL$|OTEL_)/.test(name))
  if (!isSpokenOf) return undefined
  const { openTelemetry } = await import('./drivers/telemetry/open.ts')
  return openTelemetry({ configured: settings.telemetry, env, warn })
}

/** `.steadfold` folders of the workspaces that have one. */
const roots = new WeakMap<object, string>()

/** The `.steadfold` folder of the workspace; throws where it has none. */
export function folderOf(workspace: Workspace): string {
  const root = roots.get(workspace)
  if (root !== undefined) return root
  throw new EngineError('STORE_UNAVAILABLE', 'commands run only in a workspace that lies in a folder', {
    hint: 'open it with openWorkspace',
  })
}

/** Runs workflows and commands in a workspace that lies in a folder. */
export async function openRunner(workspace: Workspace): Promise<Runner> {
  const root = folderOf(workspace)
  const dir = path.dirname(root)
  const [{ makeRunner }, { ProcessWorkers }, { ProjectFolder }] = await Promise.all([
    import('./runner/run.ts'),
    import('./drivers/process/workers.ts'),
    import('./drivers/project/files.ts'),
  ])
  const scale = Number(process.env['STEADFOLD_RETRY_SCALE'] ?? 1)
  return makeRunner({
    workspace,
    workers: new ProcessWorkers({ root, cwd: dir }),
    files: new ProjectFolder(dir),
    readWorkflow: async (file) => (await import('./drivers/project/workflow-file.ts')).readWorkflowFile(file),
    takeIn: () => takeInSpool(workspace, root),
    dir,
    scale: scale >= 0 ? scale : 1,
  })
}

/** Commits what shells have handed in. Where that fails the facts stay, and reading goes on. */
export async function takeInSpool(workspace: Workspace, root: string): Promise<void> {
  if (!spoolWaits(root, host.now())) return
  const { Spool, takeIn } = await import('./drivers/files/intake.ts')
  try {
    const { rejected } = await takeIn(workspace, new Spool({ root, now: host.now }))
    for (const { file, reason } of rejected)
      workspace.kernel.warn(`${file} was put aside in ${root}/spool/rejected: ${reason}`)
  } catch (error) {
    workspace.kernel.warn(`facts wait in ${root}/spool: ${String(error)}`)
  }
}

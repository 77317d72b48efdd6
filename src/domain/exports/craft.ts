/*
 * A session as a craft document, version 1.0.0.
 *
 * R1. What was imported is given back, as far as it has not changed here.
 * R2. Agents are called agent-1, agent-2 …; who they are here is in `metadata.agent_names`. Steps that ran count as agents:
 *     they are who made the files.
 */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { lineOf } from '../../kernel/text/whole.ts'
import type { SessionSlice } from '../session/events.ts'
import type { Task, TaskIndex, TasksSlice } from '../tasks/events.ts'
import { imported, liveAgents, type Before, type Named } from './craft-agents.ts'
import { absolute, agentNames, mendedAgent, mendedFile, mendedMetadata, mendedUsage, uuidOf } from './craft-mend.ts'

export interface Around {
  readonly updated_at: string
  readonly project: string
  readonly device: string
  /** How it stands with the place it was compared with last. */
  readonly sync?: unknown
}

interface Sync {
  readonly last_sync: string
  readonly sync_status: string
  readonly sync_error: string | null
  readonly storage_backend: string
  readonly encrypted: boolean
}

export function exportCraft(state: Readonly<Tree>, around: Around) {
  const session = sliceOf<SessionSlice>(state, 'session')
  const craft = imported(state)
  const { known, numbered, names } = named(craft, liveAgents(state))
  const document = {
    $schema: 'urn:steadfold:schema:craft-session.v1',
    schema_version: '1.0.0',
    ...headOf(session, craft, around.updated_at),
    status: statusOf(session),
    device: craft.device ?? around.device,
    project: absolute(craft.project) ?? around.project,
    ...workOf(state, wasWorkedOn(state) ? undefined : craft.progress),
    agents: [
      ...craft.agents.map((agent) => mendedAgent(agent, known)),
      ...numbered.map(({ agent, id }) => ({ id, ...agent })),
    ],
    decisions_made: craft.decisions_made,
    files_modified: [...craft.files_modified.map((file) => mendedFile(file, known)), ...numbered.flatMap(filesOf)],
    context_usage: usageOf(mendedUsage(craft.context_usage, known), numbered),
    teleportation: teleportation(session, craft.teleportation, around),
    metadata: {
      git_branch: session?.user_context['git_branch'] ?? null,
      ...mendedMetadata(craft.metadata),
      ...(names.length === 0 ? {} : { agent_names: Object.fromEntries(names) as unknown }),
    },
  }
  // What it has of its own comes behind.
  return { ...document, ...craft, ...document }
}

/** R2 */
function named(craft: Before, live: readonly Named[]) {
  const known = agentNames(craft.agents, craft.files_modified, craft.context_usage)
  const first = Math.max(0, ...[...known.values()].map((id) => Number(id.slice('agent-'.length)))) + 1
  const numbered = live.map((agent, at) => ({ ...agent, id: `agent-${first + at}` }))
  const renamed = [...known].filter(([name, id]) => name !== id).map(([name, id]) => [id, name] as const)
  return { known, numbered, names: [...renamed, ...numbered.map(({ id, name }) => [id, name] as const)] }
}

/** R1 */
function headOf(session: SessionSlice | undefined, craft: Before, updated_at: string) {
  const mode = session?.mode === 'emergency' ? 'debug' : 'default'
  return {
    session_id: uuidOf(craft.session_id) ?? session?.id ?? '',
    created_at: craft.created_at ?? session?.created_at ?? updated_at,
    updated_at,
    goal: session?.goal ?? session?.name ?? '',
    mode: craft.mode ?? mode,
  }
}

/** R1: how far it was where it comes from, while nothing of it went on here; then tasks are counted. */
function workOf(state: Readonly<Tree>, before: unknown) {
  const all = Object.values(sliceOf<TasksSlice>(state, 'execution.tasks') ?? {})
  const tasks = all.filter(({ status }) => status !== 'cancelled')
  const done = tasks.filter(({ status }) => status === 'completed')
  const putAway = putAwayIn(state)
  const [completed, counted] = [done.length + putAway, tasks.length + putAway]
  return {
    progress: before ?? (counted === 0 ? 0 : Math.round((completed / counted) * 100) / 100),
    completed_work: done.map(textOf),
    pending_tasks: tasks.filter(({ status }) => status !== 'completed').map(textOf),
  }
}

/** N6 of plans; what they were called is in the log alone. */
const putAwayIn = (state: Readonly<Tree>): number =>
  Object.values(sliceOf<TaskIndex>(state, 'execution.task_index')?.put_away ?? {})
    .flatMap((sprints) => Object.values(sprints))
    .reduce((sum, { completed }) => sum + completed, 0)

/** R1: of a text that was more than a title, an import has kept the whole beside it. */
const textOf = ({ title, context: { requirements = '' } }: Task): string =>
  lineOf(requirements) === title ? requirements : title

/** The tasks of a document are called by what they were when they came in. */
const wasWorkedOn = (state: Readonly<Tree>): boolean =>
  Object.values(sliceOf<TasksSlice>(state, 'execution.tasks') ?? {}).some(
    ({ id, status }) => !id.startsWith(`task-${status}-`),
  )

/** Of its life here: how it stood where it comes from, an import has brought about. */
function statusOf(session: SessionSlice | undefined) {
  const { status, outcome } = session?.lifecycle ?? { status: 'active', outcome: null }
  if (status === 'suspended') return 'paused'
  if (status !== 'terminated') return 'in_progress'
  return { completed: 'completed', failed: 'error', cancelled: 'aborted' }[outcome ?? ''] ?? 'completed'
}

type Numbered = Named & { readonly id: string }

/** An artifact has a hash from after the step; what was there before is not known. */
const filesOf = ({ id, step }: Numbered) =>
  (step?.result?.artifacts ?? []).map(({ path, sha256 }) => ({
    path,
    action: 'modified',
    agent_id: id,
    timestamp: step?.finished_at ?? '',
    lines_added: null,
    lines_removed: null,
    hash_before: null,
    hash_after: sha256,
  }))

function usageOf(before: Readonly<Record<string, unknown>>, agents: readonly Numbered[]) {
  const { estimated_tokens = 0, compression_count = 0, last_compression = null, by_agent = {}, ...others } = before
  const own = agents.filter(({ tokens }) => tokens > 0)
  return {
    estimated_tokens: Number(estimated_tokens) + own.reduce((all, { tokens }) => all + tokens, 0),
    compression_count,
    last_compression,
    by_agent: { ...(by_agent as object), ...Object.fromEntries(own.map(({ id, tokens }) => [id, tokens])) },
    ...others,
  }
}

function teleportation(
  session: SessionSlice | undefined,
  before: Readonly<Record<string, unknown>>,
  { device, sync: said }: Around,
) {
  const sync = said as Sync | undefined
  const { devices = [], shared_with = [], departed } = session?.transport ?? {}
  const told = Array.isArray(before['devices']) ? before['devices'].map(String) : []
  return {
    enabled: true,
    last_sync: null,
    sync_error: null,
    storage_backend: 'local',
    encrypted: false,
    ...before,
    ...(sync === undefined ? {} : syncOf(sync)),
    sync_status: departed ? 'pending' : (sync?.sync_status ?? before['sync_status'] ?? null),
    // One that was never sent is on this one.
    devices: told.length + devices.length === 0 ? [device] : [...new Set([...told, ...devices])],
    shared_with: shared_with.length > 0 ? shared_with : (before['shared_with'] ?? null),
  }
}

/** A folder and git are near by, in the words of the document. */
const syncOf = ({ last_sync, sync_error, storage_backend, encrypted }: Sync) => ({
  last_sync,
  sync_error,
  storage_backend: storage_backend === 's3' ? 's3' : 'local',
  encrypted,
})

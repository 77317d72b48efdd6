/*
 * The dialects of the craft session document, brought to the form of 1.0.0.
 *
 *   1.0.0      as its schema says
 *   1.0        created, updated; project as an object; agents with a task; progress in percent; work with its outcome
 *   none       files as a list of paths; parts of context and teleportation left out
 *
 * A1. What a dialect calls otherwise is renamed; what it leaves out gets the value that says nothing, and is told.
 *    So are decisions in 1.0.0, which lists them among what must be said in one place and not in the other.
 * A2. What is there in a wrong form is passed on as it is, for the schema to name.
 */
import { entriesOf, isMembers, itemsOf, membersOf, saidOf, textOf, type Members } from './members.ts'

export interface Normal {
  readonly document: Members
  /** What the dialect says nothing about, and what has no place. */
  readonly told: readonly string[]
  readonly isDialect: boolean
}

const STATUS: Readonly<Record<string, string>> = { complete: 'completed', in_progress: 'running', failed: 'error' }

export function normalize(given: Members): Normal {
  const told: string[] = []
  const or = (name: string, value: unknown, nothing: unknown): unknown => {
    if (value !== undefined) return value
    told.push(`${name} is not said`)
    return nothing
  }
  const decisions = or('decisions_made', given['decisions_made'], [])
  const isDialect = given['schema_version'] === undefined || given['schema_version'] === '1.0'
  if (!isDialect) return { document: { ...given, decisions_made: decisions }, told, isDialect }
  const updated = given['updated_at'] ?? given['updated']
  const project = isMembers(given['project']) ? given['project'] : { path: given['project'] }
  const when = textOf(updated) ?? ''
  const { errors, version, created, updated: _updated, ...others } = given
  const document = {
    ...others,
    schema_version: '1.0.0',
    created_at: given['created_at'] ?? created,
    updated_at: updated,
    device: or('device', given['device'], 'unknown'),
    project: or('project', project['path'], ''),
    progress: or('progress', given['progress'], shareDone(given)),
    agents: listed(given['agents'], (each) => agentOf(each)),
    completed_work: listed(given['completed_work'], workOf),
    pending_tasks: given['pending_tasks'] ?? [],
    decisions_made: listed(decisions, (each) => decisionOf(each, when)),
    files_modified: listed(or('files_modified', given['files_modified'], []), (each) => fileOf(each, when)),
    context_usage: usageOf(membersOf(given['context_usage']), itemsOf(given['agents'])),
    teleportation: { ...UNTELEPORTED, ...membersOf(or('teleportation', given['teleportation'], {})) },
    metadata: {
      ...membersOf(given['metadata']),
      ...(project['git_branch'] === undefined ? {} : { git_branch: project['git_branch'] }),
      ...(project['name'] === undefined ? {} : { project_name: project['name'] }),
      ...(itemsOf(errors).length === 0 ? {} : { errors }),
      ...(version === undefined ? {} : { version }),
    },
  }
  return { document, told, isDialect }
}

const UNTELEPORTED = {
  enabled: false,
  last_sync: null,
  sync_status: null,
  sync_error: null,
  devices: [],
  storage_backend: 'local',
  encrypted: false,
  shared_with: null,
}

/** Of its work, where it does not say how far that is. */
function shareDone({ completed_work, pending_tasks }: Members): number {
  const done = itemsOf(completed_work).length
  const all = done + itemsOf(pending_tasks).length
  return all === 0 ? 0 : Math.round((done / all) * 100) / 100
}

/** A2 */
const listed = (value: unknown, each: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(each) : value

function agentOf(given: unknown): unknown {
  if (!isMembers(given)) return given
  const { started, completed, result_summary, context_tokens: _tokens, artifacts, ...others } = given
  const { status, progress } = given
  const ended = given['completed_at'] ?? completed ?? null
  const known = saidOf(STATUS, String(status)) ?? status
  return {
    duration_seconds: null,
    blocking_on: null,
    error: null,
    ...others,
    status: known,
    started_at: given['started_at'] ?? started ?? null,
    completed_at: ended,
    progress:
      typeof progress === 'number' && progress > 1 ? progress / 100 : (progress ?? (known === 'completed' ? 1 : null)),
    result: given['result'] ?? (known === 'completed' ? 'success' : null),
    output_summary: textOf(given['output_summary'], result_summary, given['task']) ?? null,
    artifacts: { files_created: [], files_modified: [], files_deleted: [], ...membersOf(artifacts) },
  }
}

function workOf(given: unknown): unknown {
  if (!isMembers(given)) return given
  const { task, outcome } = given
  return [task, outcome].filter((each) => typeof each === 'string').join(': ')
}

function decisionOf(given: unknown, when: string): unknown {
  if (!isMembers(given)) return given
  const { decision, rationale, ...others } = given
  const chosen = given['chosen'] ?? decision
  return { timestamp: when, context: chosen, options: [], reasoning: rationale ?? null, ...others, chosen }
}

function fileOf(given: unknown, when: string): unknown {
  if (typeof given !== 'string') return given
  const unknown = { lines_added: null, lines_removed: null, hash_before: null, hash_after: null }
  return { path: given, action: 'modified', agent_id: 'agent-0', timestamp: when, ...unknown }
}

function usageOf(usage: Members, agents: readonly unknown[]): Members {
  const counted = agents
    .filter(isMembers)
    .flatMap(({ id, context_tokens }) =>
      typeof id === 'string' && typeof context_tokens === 'number' ? [[id, context_tokens]] : [],
    )
  const by_agent = entriesOf(usage['by_agent']).length > 0 ? usage['by_agent'] : Object.fromEntries(counted)
  return { estimated_tokens: 0, compression_count: 0, last_compression: null, ...usage, by_agent }
}

/* Who worked on a session, as a craft document tells of agents. */
import type { Members } from '../../kernel/json/members.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { AgentInstance, AgentsSlice, Gone } from '../agents/events.ts'
import type { StepRecord, StepsSlice } from '../steps/events.ts'

/** What an import has left for this. */
export interface Before {
  readonly session_id?: unknown
  readonly created_at?: unknown
  readonly device?: unknown
  readonly project?: unknown
  readonly mode?: unknown
  readonly progress?: unknown
  readonly agents: readonly unknown[]
  readonly decisions_made: readonly unknown[]
  readonly files_modified: readonly unknown[]
  readonly context_usage: Members
  readonly teleportation: Members
  readonly metadata: Members
}

export interface Named {
  /** As it is called here. */
  readonly name: string
  readonly tokens: number
  readonly agent: Members
  readonly step?: StepRecord
}

export function imported(state: Readonly<Tree>): Before {
  const craft = sliceOf<{ readonly craft?: Members }>(state, 'data')?.craft ?? {}
  const list = (name: string) => (Array.isArray(craft[name]) ? (craft[name] as readonly unknown[]) : [])
  const members = (name: string) => (craft[name] ?? {}) as Members
  return {
    ...craft,
    agents: list('agents'),
    decisions_made: list('decisions_made'),
    files_modified: list('files_modified'),
    context_usage: members('context_usage'),
    teleportation: members('teleportation'),
    metadata: members('metadata'),
  }
}

export function liveAgents(state: Readonly<Tree>): readonly Named[] {
  const { active = {}, gone = [] } = sliceOf<AgentsSlice>(state, 'execution.agents') ?? {}
  const { ledger = {} } = sliceOf<StepsSlice>(state, 'steps') ?? {}
  return [
    ...Object.entries(active).map(([id, agent]) => activeOne(id, agent)),
    ...gone.filter(({ id }) => !Object.hasOwn(active, id)).map(goneOne),
    ...Object.values(ledger)
      .filter(({ attempt }) => attempt !== null)
      .map(stepOne),
  ]
}

const FILES = { files_created: [], files_modified: [], files_deleted: [] }
const NOTHING = {
  completed_at: null,
  duration_seconds: null,
  progress: null,
  result: null,
  blocking_on: null,
  error: null,
}

function activeOne(name: string, { agent_type, status, spawned_at, context, reason }: AgentInstance): Named {
  const running = status === 'busy' || status === 'blocked' || status === 'terminating'
  const agent = {
    type: agent_type,
    status: running ? 'running' : 'pending',
    started_at: spawned_at,
    ...NOTHING,
    output_summary: reason,
    artifacts: FILES,
  }
  return { name, tokens: context.token_usage, agent }
}

const ENDS: Readonly<Record<Gone['cause'], readonly [status: string, result: string, category: string | null]>> = {
  finished: ['completed', 'success', null],
  waiting: ['completed', 'success', null],
  stopped: ['completed', 'aborted', null],
  timeout: ['timeout', 'timeout', 'resource'],
  quota: ['error', 'failure', 'resource'],
  crashed: ['error', 'failure', 'transient'],
  orphaned: ['error', 'aborted', 'permanent'],
}

function goneOne({ id, agent_type, cause, reason, at }: Gone): Named {
  const [status, result, category] = ENDS[cause]
  const error = category === null ? null : { category, message: reason ?? cause, retry_count: 0, last_retry_at: null }
  const agent = {
    type: agent_type,
    status,
    started_at: null,
    ...NOTHING,
    completed_at: at,
    result,
    error,
    output_summary: reason,
    artifacts: FILES,
  }
  return { name: id, tokens: 0, agent }
}

const CLASSES = { transient: 'transient', terminal: 'permanent', timeout: 'resource', unknown: 'logical' } as const

function stepOne(step: StepRecord): Named {
  const { attempt, name, family, result, finished_at, spent } = step
  const [status, came] = endOf(step)
  const agent = {
    type: family,
    status,
    started_at: attempt?.started_at ?? null,
    completed_at: finished_at,
    duration_seconds: came === null ? null : Math.round(spent.duration_ms / 1000),
    progress: result === null ? null : 1,
    result: came,
    blocking_on: null,
    error: errorOf(step),
    output_summary: result?.report?.summary ?? null,
    artifacts: { ...FILES, files_modified: (result?.artifacts ?? []).map(({ path }) => path) },
  }
  return { name, tokens: spent.tokens, agent, step }
}

function endOf({ result, failure, status }: StepRecord): readonly [status: string, result: string | null] {
  if (result !== null) return ['completed', 'success']
  if (failure === null) return [status === 'running' ? 'running' : 'pending', null]
  return failure.class === 'timeout' ? ['timeout', 'timeout'] : ['error', 'failure']
}

function errorOf({ result, failure, attempt, attempts }: StepRecord): Members | null {
  if (result !== null || failure === null) return null
  const again = attempts > 1
  return {
    category: CLASSES[failure.class],
    message: failure.reason,
    retry_count: Math.max(0, attempts - 1),
    last_retry_at: again ? (attempt?.started_at ?? null) : null,
  }
}

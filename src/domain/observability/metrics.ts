/*
 * Performance, utilization and quality of a session, computed when they are read.
 *
 * M1. Nothing of it is stored: the same state, commits and moment give the same figures.
 * M2. What nobody measured or reported is left out; it is never 0 for want of a figure.
 * M3. Shares are from 0 to 1, and 0 where there is nothing to share.
 */
import type { Commit } from '../../kernel/log/commit.ts'
import { leastOf } from '../../kernel/state/heap.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { AgentsSlice } from '../agents/events.ts'
import { lockRows } from '../locks/views.ts'
import type { MessagesSlice } from '../messages/events.ts'
import { messageRows } from '../messages/views.ts'
import { allWork, progressOf } from '../plans/views.ts'
import type { SessionSlice } from '../session/events.ts'
import type { StepRecord, StepsSlice } from '../steps/events.ts'
import type { TaskIndex } from '../tasks/events.ts'
import { taskCounts } from '../tasks/views.ts'

/** What a process can tell of itself and of the store. */
export interface Measured {
  readonly state_query_time_ms?: number
  readonly persistence_write_time_ms?: number
  /** Of one processor, while the session was open here. */
  readonly cpu_usage_percent?: number
}

interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The last commits, the latest at the end. */
  readonly recent: readonly Commit[]
  readonly measured?: Measured
}

export function metricsOf(root: Readonly<Tree>, { now, recent, measured = {} }: Moment) {
  const { cpu_usage_percent, ...times } = measured
  const steps = Object.values(sliceOf<StepsSlice>(root, 'steps')?.ledger ?? {})
  return {
    performance: { ...performanceOf(root, steps, now), ...spawnTime(recent), ...times },
    utilization: { ...utilizationOf(root, now), ...(cpu_usage_percent === undefined ? {} : { cpu_usage_percent }) },
    quality: { ...qualityOf(root, steps), ...reported(root) },
  }
}

const agentsIn = (root: Readonly<Tree>): AgentsSlice | undefined => sliceOf<AgentsSlice>(root, 'execution.agents')

function performanceOf(root: Readonly<Tree>, steps: readonly StepRecord[], now: number) {
  const session = sliceOf<SessionSlice>(root, 'session')
  const begun = Date.parse(session?.created_at ?? '')
  const end = Date.parse(session?.lifecycle.ended_at ?? '') || now
  const ended = steps.flatMap(({ spent, attempts }) => (spent.duration_ms > 0 ? [{ spent, attempts }] : []))
  const attempts = ended.reduce((sum, step) => sum + step.attempts, 0)
  const spent = ended.reduce((sum, step) => sum + step.spent.duration_ms, 0)
  const tokens = steps.reduce((sum, step) => sum + step.spent.tokens, agentsIn(root)?.tokens ?? 0)
  return {
    session_duration_seconds: Number.isNaN(begun) ? 0 : Math.max(0, Math.floor((end - begun) / 1000)),
    total_tokens_used: Math.round(tokens),
    // From the start of an attempt to its result.
    ...(attempts === 0 ? {} : { average_response_time_ms: spent / attempts }),
  }
}

/** From being registered to the first heartbeat, on average, of those whose both are among the last commits. */
function spawnTime(recent: readonly Commit[]): { readonly agent_spawn_time_ms?: number } {
  const since = new Map<string, number>()
  const times: number[] = []
  for (const { at, events } of recent) {
    for (const { type, data } of events) {
      // Data of events are objects; those of agents have an id.
      const { id } = data as { readonly id?: string }
      if (id === undefined) continue
      if (type === 'agent.registered') since.set(id, Date.parse(at))
      const begun = since.get(id)
      if (type !== 'agent.heartbeat-received' || begun === undefined) continue
      times.push(Date.parse(at) - begun)
      since.delete(id)
    }
  }
  return times.length === 0 ? {} : { agent_spawn_time_ms: times.reduce((a, b) => a + b, 0) / times.length }
}

function utilizationOf(root: Readonly<Tree>, now: number) {
  const active = Object.entries(agentsIn(root)?.active ?? {}).filter(([, { expires }]) => expires >= now)
  const live = active.map(([, agent]) => agent)
  const held = sliceOf<TaskIndex>(root, 'execution.task_index')?.held ?? {}
  const busy = active.filter(([id, { status }]) => status === 'busy' || Object.hasOwn(held, `agent:${id}`))
  const lease = sliceOf<SessionSlice>(root, 'session')?.lease ?? null
  const isHeld = lease !== null && lease.expires >= now
  return {
    agent_utilization_rate: share(busy.length, live.length),
    memory_usage_mb: Math.round(live.reduce((sum, { context }) => sum + context.memory_usage_mb, 0)),
    // Who is there under a lease that lasts: agents, and whoever holds the session.
    active_connections: live.length + (isHeld ? 1 : 0),
    queue_depths: queuesOf(root, now),
  }
}

/** Tasks that may be claimed, open messages of each inbox, and who waits for each lock: what time has ended is in none of them. */
function queuesOf(root: Readonly<Tree>, now: number): Readonly<Record<string, number>> {
  const hasTasks = sliceOf<TaskIndex>(root, 'execution.task_index') !== undefined
  const waiting = lockRows(root, {}, now).flatMap(({ status, resource }) => (status === 'waiting' ? [resource] : []))
  const depths: Record<string, number> = hasTasks ? { tasks: taskCounts(root, now).ready } : {}
  for (const [agent, open] of lettersOf(root, now)) depths[`messages ${agent}`] = open
  for (const resource of waiting) depths[`lock ${resource}`] = (depths[`lock ${resource}`] ?? 0) + 1
  return depths
}

/** They are counted one by one only where time has ended something that nobody has told. */
function lettersOf(root: Readonly<Tree>, now: number): readonly (readonly [agent: string, open: number])[] {
  const slice = sliceOf<MessagesSlice>(root, 'communication.messages')
  const isTold = (leastOf(slice?.deadlines) ?? Infinity) > now
  return Object.entries(slice?.inboxes ?? {}).map(([agent, { open }]) => {
    const rows = isTold ? undefined : messageRows(root, { agent }, now)
    return [agent, rows?.filter(({ status }) => status !== 'dead').length ?? open]
  })
}

function qualityOf(root: Readonly<Tree>, steps: readonly StepRecord[]) {
  const { completion_rate } = progressOf(allWork(root))
  const ended = steps.reduce((sum, { attempts, status }) => sum + attempts - (status === 'running' ? 1 : 0), 0)
  const finished = steps.filter(({ status, attempts }) => status === 'finished' && attempts > 0).length
  return { task_completion_rate: completion_rate, error_rate: share(Math.max(0, ended - finished), ended) }
}

/** Name -> least and most that it can be. */
const REPORTED = {
  test_coverage_percent: [0, 100],
  code_quality_score: [0, 100],
  user_satisfaction_score: [1, 5],
} as const

/** M2: what the work says of itself: `data.quality.NAME`, or else the last output of that name, of whatever step. */
function reported(root: Readonly<Tree>): Readonly<Partial<Record<keyof typeof REPORTED, number>>> {
  // What users keep there is theirs: each member is looked at below.
  const said = (sliceOf<Readonly<Tree>>(root, 'data')?.['quality'] ?? {}) as Readonly<Record<string, unknown>>
  const outputs = Object.entries(sliceOf<Readonly<Record<string, string>>>(root, 'outputs') ?? {})
  const found = Object.entries(REPORTED).flatMap(([name, [least, most]]) => {
    const output = outputs.findLast(([key]) => key === name || key.endsWith(`.${name}`))
    const value = said[name] ?? (output === undefined || output[1].trim() === '' ? undefined : Number(output[1]))
    return typeof value === 'number' && value >= least && value <= most ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}

/** M3 */
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

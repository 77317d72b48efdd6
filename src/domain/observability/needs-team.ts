/* What agents, tasks, locks and messages need. */
import { keysUpTo, leastOf, type Heap } from '../../kernel/state/heap.ts'
import { sliceOf } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { AgentsSlice, Gone, GoneCause } from '../agents/events.ts'
import type { LocksSlice } from '../locks/events.ts'
import type { Task, TaskIndex, TasksSlice } from '../tasks/events.ts'
import { circleRows } from '../tasks/views.ts'
import { command, timeOf, type Found, type Looked } from './need.ts'

/** An agent that went this long ago is no news; longer when its task still waits. */
const NEWS_MS = 3_600_000
const TASK_NEWS_MS = 86_400_000
const UNWANTED: ReadonlySet<GoneCause> = new Set(['crashed', 'quota', 'timeout', 'waiting', 'orphaned'])

export const teamNeeds = (looked: Looked): readonly Found[] => [
  ...agentNeeds(looked),
  ...taskNeeds(looked),
  ...lockNeeds(looked),
]

const tasksIn = ({ seen }: Looked): TasksSlice => sliceOf<TasksSlice>(seen.state, 'execution.tasks') ?? {}

function agentNeeds(looked: Looked): readonly Found[] {
  const slice = sliceOf<AgentsSlice>(looked.seen.state, 'execution.agents')
  if (slice === undefined) return []
  const recover = `steadfold recover ${quoted(looked.name)}`
  const there = Object.entries(slice.active).flatMap(([id, { expires, status, reason, health }]): Found[] => {
    const of = { what: id, since: health.last_heartbeat }
    if (expires < looked.now) return [{ ...of, kind: 'LOST', why: 'no heartbeat: its lease is over', next: recover }]
    if (status !== 'blocked') return []
    return [{ ...of, kind: 'BLOCKED', why: reason ?? 'it is blocked', next: command(looked, 'agent', 'show', id) }]
  })
  return [...there, ...goneNeeds(looked, slice)]
}

/** Who stood below one that went is told with it. */
function goneNeeds(looked: Looked, { gone, active }: AgentsSlice): readonly Found[] {
  const missed = gone.filter((each) => !Object.hasOwn(active, each.id) && isMissed(looked, each))
  const heads = missed.filter(({ cause, at }) => cause !== 'orphaned' || !gone.some((other) => isHead(other, at)))
  return heads.map(({ id, cause, reason, at, task }) => {
    const below = missed.filter((other) => other.cause === 'orphaned' && other.at === at && other.id !== id).length
    const said = [reason ?? cause, ...(task === null ? [] : [`it had ${task}`])]
    const why = [...said, ...(below > 0 ? [`${below} below it`] : [])].join('; ')
    const isHolding = looked.seen.lost !== undefined && looked.seen.lost.cause !== 'overdue'
    const next = isHolding ? `steadfold recover ${quoted(looked.name)}` : command(looked, 'agent', 'list', '--gone')
    return { kind: 'LOST', what: id, why, since: at, next }
  })
}

const isHead = ({ cause, at }: Gone, when: string): boolean => at === when && cause !== 'orphaned'

/** Until it is back, somebody else has its task, or it is no news any more. */
function isMissed(looked: Looked, { cause, at, task }: Gone): boolean {
  const age = looked.now - Date.parse(at)
  if (!UNWANTED.has(cause) || age > TASK_NEWS_MS) return false
  const tasks = tasksIn(looked)
  const own = task !== null && Object.hasOwn(tasks, task) ? tasks[task] : undefined
  return own === undefined ? age <= NEWS_MS : own.status === 'pending'
}

function taskNeeds(looked: Looked): readonly Found[] {
  const { state } = looked.seen
  const tasks = tasksIn(looked)
  const index = sliceOf<TaskIndex>(state, 'execution.task_index')
  const due = index === undefined ? [] : overdue(index.leases, looked.now)
  return [
    ...Object.values(tasks).flatMap((task) => blocked(looked, task)),
    ...due.flatMap((id) => claimOver(looked, tasks[id])),
    ...(Object.keys(index?.edges ?? {}).length === 0 ? [] : circles(looked)),
  ]
}

function blocked(looked: Looked, { id, status, block }: Task): readonly Found[] {
  if (status !== 'blocked' || block === null) return []
  const { kind, reason: why, at: since } = block
  const what = `task ${id}`
  if (kind === 'failed') return [{ kind: 'FAILED', what, why, since, next: command(looked, 'task', 'retry', id) }]
  return [{ kind: 'BLOCKED', what, why, since, next: command(looked, 'task', 'unblock', id) }]
}

/** Of an agent that is lost itself nothing more is said. */
function claimOver(looked: Looked, task: Task | undefined): readonly Found[] {
  const claim = task?.claim ?? null
  if (task === undefined || claim === null) return []
  const active = sliceOf<AgentsSlice>(looked.seen.state, 'execution.agents')?.active ?? {}
  const agent = active[claim.holder.replace(/^agent:/, '')]
  if (agent !== undefined && agent.expires < looked.now) return []
  const why = `the claim of ${claim.holder} is over`
  const next = command(looked, 'task', 'show', task.id)
  return [{ kind: 'EXPIRED', what: `task ${task.id}`, why, since: timeOf(claim.expires), next }]
}

function circles(looked: Looked): readonly Found[] {
  const since = looked.seen.updated_at
  return circleRows(looked.seen.state).map(({ path, weakest, because }) => {
    const ends = weakest === null ? path.slice(0, 2) : [weakest.from, weakest.to]
    return {
      kind: 'DEADLOCK',
      what: path.join(' → '),
      why: because === null ? 'each waits for the next' : `the weakest link: ${because}`,
      since,
      next: command(looked, 'dependency', 'break', ...ends),
    }
  })
}

/** A hold that is over while somebody waits: the next operation hands the lock on. */
function lockNeeds(looked: Looked): readonly Found[] {
  const slice = sliceOf<LocksSlice>(looked.seen.state, 'communication.locks')
  if (slice === undefined) return []
  return overdue(slice.deadlines, looked.now).flatMap((resource): Found[] => {
    const { holders = [], queue = [] } = slice.resources[resource] ?? {}
    const waiting = queue.filter(({ until }) => until > looked.now).length
    const over = holders.find(({ expires }) => expires <= looked.now)
    if (over === undefined || waiting === 0) return []
    const why = `the hold of ${over.holder} is over, and ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`
    const next = command(looked, 'lock', 'list', '--resource', resource)
    return [{ kind: 'EXPIRED', what: `lock ${resource}`, why, since: timeOf(over.expires), next }]
  })
}

/** Costs a look while nothing is due. */
const overdue = (heap: Heap, now: number): readonly string[] =>
  (leastOf(heap) ?? Infinity) < now ? keysUpTo(heap, now - 1) : []

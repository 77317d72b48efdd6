/* One session at a glance. */
import type { Seen, SessionRow } from '../../kernel/care/inbox.ts'
import { sliceOf } from '../../kernel/state/module.ts'
import { waves } from '../../kernel/work/graph.ts'
import type { AgentsSlice } from '../agents/events.ts'
import type { SessionSlice } from '../session/events.ts'
import type { StepRecord, StepsSlice, StepStatus } from '../steps/events.ts'
import { taskCounts } from '../tasks/views.ts'
import { runsIn } from './agent-runs.ts'
import { statusOf } from './needs-life.ts'
import { isFinished, isGate, ownSteps, workflowIn, type WorkflowShape } from './workflow-slice.ts'

export function rowOf(seen: Seen, now: number): SessionRow {
  const { state } = seen
  const steps = sliceOf<StepsSlice>(state, 'steps')
  const records = Object.values(steps?.ledger ?? {})
  const agents = sliceOf<AgentsSlice>(state, 'execution.agents')
  const workflow = workflowIn(state)
  const { atWork, spent } = runsIn(seen, now)
  const live = Object.entries(agents?.active ?? {}).filter(([, { expires }]) => expires >= now)
  const registered = new Set(live.map(([id]) => `agent:${id}`))
  const mine = workflow === undefined ? records.filter((step) => !isGate(step)) : workflowSteps(workflow, steps)
  return {
    ...lifeOf(seen, now),
    workflow: workflow === undefined ? null : workflowRow(workflow, steps),
    steps: counted(mine, workflow === undefined ? mine.length : stepsOf(workflow), leasesIn(state)),
    hosts: hostsOf(state, now),
    agents: registered.size + atWork.filter(({ who = '' }) => !registered.has(who)).length,
    tasks: taskCounts(state, now),
    tokens: records.reduce((sum, step) => sum + step.spent.tokens, (agents?.tokens ?? 0) + spent.tokens),
    cost_usd: records.reduce((sum, step) => sum + step.spent.cost_usd, spent.cost_usd),
  }
}

function lifeOf({ id, seq, updated_at, state, damaged, elsewhere }: Seen, now: number) {
  const session = sliceOf<SessionSlice>(state, 'session')
  return {
    id,
    name: session?.name || id,
    status: damaged ? 'damaged' : session === undefined ? 'active' : statusOf(session, now, elsewhere),
    goal: session?.goal ?? null,
    seq,
    updated_at,
    holder: session?.lease?.holder ?? null,
  }
}

/** Whose lease lasts, each machine once. */
function hostsOf(state: Seen['state'], now: number): SessionRow['hosts'] {
  const steps = sliceOf<StepsSlice>(state, 'steps')
  const lease = sliceOf<SessionSlice>(state, 'session')?.lease
  const hosts = new Map<string, number>()
  const at = Object.values(steps?.ledger ?? {}).filter(({ status }) => status === 'running')
  for (const runner of [...(lease ? [lease] : []), ...Object.values(steps?.runners ?? {})]) {
    const host = runner.process?.host
    if (host === undefined || runner.expires <= now) continue
    const running = at.filter(({ attempt }) => attempt?.lease === runner.token)
    hosts.set(host, (hosts.get(host) ?? 0) + running.length)
  }
  return [...hosts].map(([host, running]) => ({ host, running }))
}

/** What ran beside the workflow, by `once`, is no step of it; nor is what a step was before it was edited. */
const workflowSteps = (workflow: WorkflowShape, slice: StepsSlice | undefined): readonly StepRecord[] =>
  Object.values(workflow.definition.states).flatMap(({ steps }) =>
    Object.keys(steps).flatMap((name) => recordIn(slice, name) ?? []),
  )

/** Tokens of those who may run steps: the holder of the session, and who has joined. */
function leasesIn(state: Seen['state']): ReadonlySet<number> {
  const lease = sliceOf<SessionSlice>(state, 'session')?.lease
  const joined = Object.values(sliceOf<StepsSlice>(state, 'steps')?.runners ?? {})
  return new Set([...(lease ? [lease] : []), ...joined].map(({ token }) => token))
}

/** What was begun under a lease that is no more is run by nobody: running it again goes on. */
function counted(records: readonly StepRecord[], total: number, leases: ReadonlySet<number>): SessionRow['steps'] {
  const by = (status: StepStatus) => records.filter((step) => step.status === status)
  const isRun = ({ attempt }: StepRecord) => typeof attempt?.lease !== 'number' || leases.has(attempt.lease)
  return {
    total,
    finished: by('finished').length,
    running: by('running').filter(isRun).length,
    failed: by('failed').length,
    parked: by('parked').length,
  }
}

const stepsOf = ({ definition }: WorkflowShape): number =>
  Object.values(definition.states).reduce((sum, { steps }) => sum + Object.keys(steps).length, 0)

function workflowRow(workflow: WorkflowShape, steps: StepsSlice | undefined): NonNullable<SessionRow['workflow']> {
  const { name, current, terminal, intent, error } = workflow
  return {
    name,
    current,
    terminal,
    steps: stepsOf(workflow),
    finished: isFinished(workflow, Object.values(steps?.ledger ?? {})),
    wave: waveOf(workflow, steps),
    intent: intent === null ? null : { from: intent.from, to: intent.to, at: intent.at },
    error: errorOf(error),
  }
}

function errorOf(error: WorkflowShape['error'] | undefined) {
  const reason = error?.last_error ?? null
  return error === null || error === undefined || reason === null
    ? null
    : { state: error.failed_state, reason, at: error.at }
}

/** Depth by needs inside the current state. */
function waveOf(workflow: WorkflowShape, slice: StepsSlice | undefined): { at: number; of: number } | null {
  const levels = waves(Object.entries(ownSteps(workflow)).map(([name, { needs }]) => ({ name, needs })))
  if (levels.length < 2) return null
  const at = levels.findIndex((names) => names.some((name) => recordIn(slice, name)?.status !== 'finished'))
  return { at: at < 0 ? levels.length : at + 1, of: levels.length }
}

function recordIn(slice: StepsSlice | undefined, name: string): StepRecord | undefined {
  const key = slice !== undefined && Object.hasOwn(slice.names, name) ? slice.names[name] : undefined
  return key === undefined ? undefined : slice?.ledger[key]
}

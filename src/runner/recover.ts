import { activityOf } from '../domain/activity/activity.ts'
import type { AgentRun } from '../domain/activity/events.ts'
import { resumeCommand } from '../domain/activity/resume.ts'
import type { AgentsSlice } from '../domain/agents/events.ts'
import { isResting, type SessionSlice } from '../domain/session/events.ts'
import { lostIn, lostRuns, overdueIn } from '../domain/session/lost.ts'
import { causeOf, diagnose, ageText } from '../domain/session/recovery.ts'
import { sessionOf } from '../domain/session/session.ts'
import {
  asleep,
  freedBy,
  type Freed,
  type RecoveryPlan,
  type Sweep,
  type Sweeper,
  type Verdict,
  type ProcessRef,
} from '../kernel/care/recovery.ts'
import { pathHere, rootsOf } from '../kernel/exchange/roots.ts'
import type { Answer } from '../kernel/operation/answer.ts'
import type { Session } from '../kernel/session.ts'
import { sliceOf, type Tree } from '../kernel/state/module.ts'
import { quoted } from '../kernel/text/shell-word.ts'
import { deadOnces, endsBy, hasStepsAhead, leftSteps, waysOn, type DeadOnce } from './go-on.ts'

export type Judge = (process: ProcessRef) => Verdict

const UNSEEN: Verdict = { kind: 'unknown', reasons: ['its process is not known'] }

/**
 * What recovering the session would do; undefined when nobody in it is lost and nothing is over (V1, V2). Without
 * `sweepers` it says who is lost, and not what is given back.
 */
export async function planRecovery(
  session: Session,
  judge: Judge,
  now: number,
  sweepers: readonly Sweeper[] = [],
): Promise<RecoveryPlan | undefined> {
  const root = await session.stateAt()
  const state = sessionOf(root)
  if (state === undefined || state.lifecycle.status === 'terminated') return undefined
  const dead = deadRuns(root, judge)
  const onces = deadOnces(root, judge)
  const sweep = { now, seq: session.seq + 1, recovers: true }
  const diagnosis =
    diagnosed(state, root, { judge, now }) ?? ofRuns(dead) ?? ofOnces(onces) ?? left(root, sweepers, sweep)
  if (diagnosis === undefined) return undefined
  const { holder, token, cause, evidence } = diagnosis
  const runs = dead.map(({ key }) => key)
  const loss = token === null || cause === 'overdue' ? undefined : { actor: holder, cause: causeOf(cause) }
  const lost = new Map([...lostIn(root, loss, now, runs), ...lostRuns(root, runs)])
  const freed = freedBy(sweepers, root, lost, { ...sweep, actor: holder })
  const said = (kind: Freed['kind']) => freed.filter((each) => each.kind === kind).map(({ what }) => what)
  const ways = waysOn(root, state.name, onces)
  const plan = {
    session: session.id,
    name: state.name,
    holder,
    token,
    cause,
    evidence: [...new Set([...evidence, ...[...dead, ...onces].flatMap(({ reasons }) => reasons)])],
    last_seen: session.updatedAt,
    rebuild: session.opened,
    lost: said('lost'),
    release: [...(token === null ? [] : [`lease ${token} of ${holder}`]), ...said('release')],
    return: [...stepsBack(root, token, onces), ...said('return')],
    runs,
    resume: [...dead.flatMap((each) => resumed(root, each)), ...ways.slice(1)],
    then: ways[0] ?? otherwise(root, state, loss !== undefined),
  }
  return isResting(state.lifecycle) ? asleep(plan) : plan
}

/** Where no step was under way: the work goes on where nobody holds the session any more. */
function otherwise(root: Readonly<Tree>, state: SessionSlice, isFree: boolean): string {
  const ending = isFree ? endsBy(root, state) : undefined
  return ending ?? `steadfold ${isFree && hasStepsAhead(root) ? 'run' : 'show'} --session ${quoted(state.name)}`
}

const stepsBack = (root: Readonly<Tree>, token: number | null, onces: readonly DeadOnce[]): readonly string[] =>
  [...(token === null ? [] : leftSteps(root)), ...onces.map(({ record }) => record)].map(({ name }) => `step ${name}`)

const resumed = (root: Readonly<Tree>, { run }: DeadRun): readonly string[] =>
  [resumeCommand({ ...run, cwd: hereOf(root, run.cwd) })].filter((command) => command !== undefined)

const hereOf = (root: Readonly<Tree>, cwd: string | null): string | null =>
  cwd === null ? null : pathHere(rootsOf(root), cwd)

/** Carries a plan out in one commit; refused when the lease is another's by now. `hold` keeps it recovering until it is resumed. */
export function recover(session: Session, plan: RecoveryPlan, actor?: string, hold = false): Promise<Answer> {
  const { token, cause, evidence, runs } = plan
  const lease = token === null ? {} : { token, cause }
  return session.run('session.recover', { ...lease, evidence: [...evidence], hold, runs: [...runs] }, { actor })
}

type Diagnosed = Pick<RecoveryPlan, 'holder' | 'token' | 'cause' | 'evidence'>

/** Who holds the session comes first; agents may be lost while it is well held. */
function diagnosed(
  { lease }: SessionSlice,
  root: Readonly<Tree>,
  { judge, now }: { readonly judge: Judge; readonly now: number },
): Diagnosed | undefined {
  const overdue = overdueIn(root, now)
  const active = sliceOf<AgentsSlice>(root, 'execution.agents')?.active ?? {}
  const agents = overdue.map((id) => `lease of agent ${id} expired ${ageText(now - (active[id]?.expires ?? now))} ago`)
  const found =
    lease === null ? undefined : diagnose(lease, now, lease.process === null ? UNSEEN : judge(lease.process))
  if (lease !== null && found !== undefined)
    return { holder: lease.holder, token: lease.token, cause: found.cause, evidence: [...found.evidence, ...agents] }
  if (overdue.length === 0) return undefined
  return { holder: overdue.map((id) => `agent:${id}`).join(', '), token: null, cause: 'expired', evidence: agents }
}

const left = (root: Readonly<Tree>, sweepers: readonly Sweeper[], sweep: Omit<Sweep, 'actor'>) =>
  ofGone(root, sweepers, sweep) ?? overdue(root, sweepers, sweep)

/** Nobody is lost by what is known, but something is over that would stand still until somebody looks. */
function overdue(
  root: Readonly<Tree>,
  sweepers: readonly Sweeper[],
  sweep: Omit<Sweep, 'actor'>,
): Diagnosed | undefined {
  const freed = freedBy(sweepers, root, new Map(), { ...sweep, actor: 'tool:recover' })
  if (freed.length === 0) return undefined
  return { holder: 'nobody', token: null, cause: 'overdue', evidence: freed.map(({ what }) => what) }
}

interface DeadRun {
  readonly key: string
  readonly run: AgentRun
  readonly reasons: readonly string[]
}

/** Runs of agent CLIs that were not told to have ended, and whose process is gone. */
function deadRuns(root: Readonly<Tree>, judge: Judge): readonly DeadRun[] {
  return Object.entries(activityOf(root)?.runs ?? {}).flatMap(([key, run]) => {
    const owner = ownerOf(run)
    const verdict = owner === undefined || run.status === 'ended' ? undefined : judge(owner)
    return verdict?.kind === 'dead' ? [{ key, run, reasons: verdict.reasons }] : []
  })
}

/** Who watches it; else itself, unless nothing was under way: a terminal that was closed then is no loss. */
const ownerOf = ({ process: watcher, cli_process, status }: AgentRun): ProcessRef | undefined =>
  watcher ?? (status === 'idle' ? undefined : cli_process)

function ofRuns(dead: readonly DeadRun[]): Diagnosed | undefined {
  if (dead.length === 0) return undefined
  const holder = dead.map(({ run }) => `${run.agent} run ${run.run}`).join(', ')
  return { holder, token: null, cause: 'crashed', evidence: dead.flatMap(({ reasons }) => reasons) }
}

function ofOnces(dead: readonly DeadOnce[]): Diagnosed | undefined {
  if (dead.length === 0) return undefined
  const holder = dead.map(({ record }) => `once ${record.name}`).join(', ')
  return { holder, token: null, cause: 'crashed', evidence: dead.flatMap(({ reasons }) => reasons) }
}

/** Who went before: another commit has told it, and what they held is still held. */
function ofGone(
  root: Readonly<Tree>,
  sweepers: readonly Sweeper[],
  { now, seq }: Omit<Sweep, 'actor'>,
): Diagnosed | undefined {
  const lost = lostIn(root, undefined, now)
  const gone = sliceOf<AgentsSlice>(root, 'execution.agents')?.gone ?? []
  const holding = gone.filter(({ id }) => {
    const actor = `agent:${id}`
    const loss = lost.get(actor)
    if (loss === undefined) return false
    return freedBy(sweepers, root, new Map([[actor, loss]]), { now, seq, actor, recovers: false }).length > 0
  })
  if (holding.length === 0) return undefined
  const names = [...new Set(holding.map(({ id }) => `agent:${id}`))]
  const evidence = holding.map(
    ({ id, cause, at }) => `agent ${id} went ${ageText(now - Date.parse(at))} ago (${cause})`,
  )
  return { holder: names.join(', '), token: null, cause: 'expired', evidence }
}

/* Finds what a workspace may be relieved of, and does it: G1–G5 of kernel/care/retention.ts. */
import type { SessionSlice } from '../domain/session/events.ts'
import { lostIn } from '../domain/session/lost.ts'
import { ageText } from '../domain/session/recovery.ts'
import { leaseExpired, sessionOf } from '../domain/session/session.ts'
import { statusOf } from '../kernel/about-session.ts'
import { droppedBy, freedBy, type Sweeper } from '../kernel/care/recovery.ts'
import {
  unnamedBlobs,
  type Policy,
  type Retained,
  type RetentionPlan,
  type RetentionStep,
} from '../kernel/care/retention.ts'
import { verifySession } from '../kernel/care/verify.ts'
import { EngineError } from '../kernel/error.ts'
import { unlessGone } from '../kernel/names.ts'
import type { Waiting } from '../kernel/ports.ts'
import type { Session } from '../kernel/session.ts'
import type { Workspace } from '../kernel/workspace.ts'
import { halfForks } from './half-forks.ts'

const DAY_MS = 24 * 3_600_000
const HOUR_MS = 3_600_000

export interface Ground {
  readonly policy: Policy
  readonly sweepers: readonly Sweeper[]
  /** Only this session. */
  readonly only?: string | undefined
}

interface Found extends Ground {
  readonly waiting: Waiting
}

const NOTHING: Waiting = { sessions: new Set(), unfinished: [] }

export async function planRetention(workspace: Workspace, asked: Ground): Promise<RetentionPlan> {
  const steps: RetentionStep[] = []
  const attic = await workspace.kernel.log.attic?.()
  const ground: Found = { ...asked, waiting: (await attic?.waiting()) ?? NOTHING }
  const begun = new Set<string>()
  for await (const session of workspace.sessions()) {
    begun.add(session.id)
    if (ground.only === undefined || ground.only === session.id)
      steps.push(...((await stepsFor(workspace, session, ground).catch(unlessGone)) ?? []))
    await session.close()
  }
  if (ground.only === undefined) steps.push(...(await ofNobody(workspace, begun)))
  return { policy: ground.policy, steps }
}

/** What killed writers have left, which is of no session. */
async function ofNobody(workspace: Workspace, begun: ReadonlySet<string>): Promise<readonly RetentionStep[]> {
  const attic = await workspace.kernel.log.attic?.()
  const remove = { kind: 'remove', session: null, name: null } as const
  const steps = [
    { ...remove, what: 'temporary file' as const, items: (await attic?.leftovers(HOUR_MS)) ?? [] },
    { ...remove, what: 'half-made fork' as const, items: await halfForks(workspace, begun, HOUR_MS) },
  ]
  return steps.filter(({ items }) => items.length > 0)
}

async function stepsFor(workspace: Workspace, session: Session, ground: Found): Promise<readonly RetentionStep[]> {
  const { kernel } = workspace
  const root = session.damage === undefined ? await session.stateAt() : {}
  const state = sessionOf(root)
  const name = state?.name ?? session.get('$.session.name')
  const of = { session: session.id, name: typeof name === 'string' && name !== '' ? name : session.id }
  const keep = (why: string, next: string): readonly RetentionStep[] => [{ kind: 'keep', ...of, why, next }]
  if (session.damage !== undefined) return keep('its log is damaged', `steadfold verify --session ${of.session}`)
  if (state === undefined) return []
  const wanted = [...(await ofState(session, state, ground, kernel.host.now())), ...(await ofBlobs(workspace, of))]
  if (wanted.length === 0) return []
  const why = held(state, of, ground, kernel.host.now())
  if (why !== undefined) return keep(why, `steadfold session show ${of.session}`)
  const verified = await verifySession(kernel, session.id)
  return verified.ok ? wanted : keep('it does not verify', `steadfold verify --session ${of.session}`)
}

async function ofState(
  session: Session,
  state: SessionSlice,
  { policy, sweepers }: Ground,
  now: number,
): Promise<readonly RetentionStep[]> {
  const of = { session: session.id, name: state.name }
  const root = await session.stateAt()
  const { status, auto_cleanup } = state.lifecycle
  if (status === 'terminated' && auto_cleanup) {
    const bytes = JSON.stringify(root).length
    const why = dueSince(state, { bytes, commits: session.seq }, policy, now)
    if (why !== undefined) return [{ kind: 'archive', ...of, why, commits: session.seq, state_bytes: bytes }]
  }
  if (statusOf(session, now) !== 'active') return []
  const sweep = { now, seq: session.seq + 1, actor: 'tool:steadfold', recovers: false }
  const freed = freedBy(sweepers, root, lostIn(root, undefined, now), sweep).filter(({ kind }) => kind !== 'lost')
  const what = [...droppedBy(sweepers, root, now - policy.tidy), ...freed].map((each) => each.what)
  return what.length === 0 ? [] : [{ kind: 'tidy', ...of, what }]
}

/** Why an ended session goes; undefined while it stays. */
function dueSince(
  { lifecycle }: SessionSlice,
  used: { readonly bytes: number; readonly commits: number },
  policy: Policy,
  now: number,
): string | undefined {
  const ended = now - Date.parse(lifecycle.ended_at ?? '')
  if (ended >= policy.archive) return `ended ${ageText(ended)} ago`
  if (used.bytes > policy.stateBytes) return `its state has ${used.bytes} bytes`
  return used.commits > policy.commits ? `it has ${used.commits} commits` : undefined
}

async function ofBlobs(workspace: Workspace, of: { readonly session: string; readonly name: string }) {
  const items = await unnamedBlobs(workspace.kernel, of.session, DAY_MS)
  const step: RetentionStep = { kind: 'remove', ...of, what: 'blob', items }
  return items.length === 0 ? [] : [step]
}

/** G1 and G3. */
function held(
  { lease }: SessionSlice,
  { session, name }: { readonly session: string; readonly name: string },
  { waiting }: Found,
  now: number,
): string | undefined {
  if (lease !== null && !leaseExpired(lease, now)) return `it is held by ${lease.holder}`
  if (waiting.sessions.has(session) || waiting.sessions.has(name)) return 'facts for it wait in the spool'
  const [file] = waiting.unfinished
  return file === undefined ? undefined : `a fact in the spool is not finished, and may be for it: ${file}`
}

/** One step after the other: what one meets does not stop the rest, and what another did meanwhile is done. */
export async function carryOutRetention(
  workspace: Workspace,
  { steps, policy }: RetentionPlan,
  actor?: string,
): Promise<readonly Retained[]> {
  const done: Retained[] = []
  for (const step of steps) {
    try {
      await carryOut(workspace, step, { policy, actor }).catch(unlessGone)
      done.push({ step })
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      done.push({ step, error: { code: error.code, message: error.message } })
    }
  }
  return done
}

interface Means {
  readonly policy: Policy
  readonly actor: string | undefined
}

async function carryOut(workspace: Workspace, step: RetentionStep, { policy, actor }: Means): Promise<void> {
  if (step.kind === 'keep') return
  if (step.kind === 'remove') {
    const attic = await workspace.kernel.log.attic?.()
    for (const item of step.items) await attic?.remove(item, step.what === 'blob' ? DAY_MS : HOUR_MS)
    return
  }
  const session = await workspace.session(step.session)
  if (step.kind === 'archive') {
    await workspace.archive(session)
    return
  }
  const answer = await session.run('session.tidy', { older_ms: policy.tidy }, { actor })
  await session.close()
  if (answer.kind === 'refused') throw new EngineError(answer.code, answer.message, answer)
}

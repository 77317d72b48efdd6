/*
 * A command that runs once for a key: whoever asks again gets what it wrote and how it ended.
 *
 * U1. Only a success is kept; after a failure the next one who asks runs it again.
 * U2. Two that ask at once: one runs it, the other waits and gets the same.
 * U3. The same key with another command is refused.
 * U4. Who waits for what another began leaves it alone when it is stopped, also when that other is gone and it adopted the worker.
 * U5. A session that is closed under it leaves the command at work, for whoever asks next.
 * U6. What came of it, and could not be told, is not waited for: whoever asks next tells it.
 */
import type { Captured, StepRecord } from '../domain/steps/events.ts'
import { onceKey } from '../domain/steps/key.ts'
import { recordOf } from '../domain/steps/steps.ts'
import { wordFor } from '../domain/steps/views.ts'
import { readBlob } from '../kernel/care/blobs.ts'
import type { Refusal } from '../kernel/decision.ts'
import { closed, EngineError } from '../kernel/error.ts'
import { hasPlaceholder } from '../kernel/redact/placeholder.ts'
import type { Session } from '../kernel/session.ts'
import type { Once, OnceResult } from '../kernel/work/runner.ts'
import type { Worker } from '../kernel/work/worker.ts'
import { begin, conclude, forsaken } from './attempt.ts'
import { isSameCommand, isStillOurs, ledgerOf, now, toType, treeOf, type Ground } from './ground.ts'
import { watchOver } from './limits.ts'
import { Notice, whileOpen, withNotice } from './notice.ts'
import type { RunnerDeps } from './ports.ts'
import { rooted } from './rooted.ts'
import type { Attempt, Work } from './work.ts'

const LOOK_MS = 50
const DEFAULT_ACTOR = 'tool:once'
/** What no workflow says about it. */
const PLAIN = { state: null, env: {}, artifacts: [], prefix: null }

interface Asked extends Once {
  /** U5 */
  readonly closing: Notice
}

export async function once(deps: RunnerDeps, options: Once): Promise<OnceResult> {
  const { session: given, actor = DEFAULT_ACTOR } = options
  const session = typeof given === 'string' ? await deps.workspace.session(given) : given
  try {
    const ground = { deps: rooted(deps, session), session, actor, lease: undefined }
    return await whileOpen(session, (closing) => settleOnce(ground, { ...options, closing }))
  } finally {
    if (typeof given === 'string') await session.close()
  }
}

async function settleOnce(ground: Ground, options: Asked): Promise<OnceResult> {
  const { session, deps } = ground
  const key = onceKey(options.key, deps.workspace.kernel.host.sha256)
  let waited = false
  const holdback = { said: false }
  for (;;) {
    assertOpen(session, options)
    await session.refresh()
    const record = recordOf(ledgerOf(session), key)
    if (record !== undefined) assertSameCommand(ground, record, options)
    if (record?.status === 'finished') return replay(ground, record, options, waited)
    if (record?.status === 'parked') throw needsPerson(session, record)
    if (record?.status === 'running') {
      if (!waited) options.onWait?.(whoRuns(ground, options.key, record))
      waited = true
      await look(ground, record, options)
      continue
    }
    const ran = await attempt(ground, key, options, holdback)
    if (ran !== undefined) return ran
  }
}

/** Undefined when another was quicker. */
async function attempt(
  ground: Ground,
  key: string,
  options: Asked,
  holdback: { said: boolean },
): Promise<OnceResult | undefined> {
  const { argv: command, repeatable = false, timeout_ms } = options
  const work: Work = { ...PLAIN, key, name: options.key, command, repeatable, timeout_ms }
  assertNotStopped(options)
  assertWhole(options)
  const begun = await begin(ground, work, options)
  if (begun.kind === 'begun') return attend(ground, work, begun.attempt, { worker: begun.worker, options })
  const until = begun.details?.['until']
  if (begun.code === 'STEP_STATUS_INVALID') return undefined
  if (begun.code === 'INPUT_INVALID') throw keyRefused(begun)
  if (begun.code !== 'BREAKER_OPEN') throw new EngineError(begun.code, begun.message, begun)
  if (!holdback.said) options.onWait?.([begun.message, begun.hint].filter((part) => part !== undefined).join('; '))
  holdback.said = true
  await ground.deps.workspace.kernel.host.sleep(
    typeof until === 'number' ? Math.max(LOOK_MS, Math.min(until - now(ground), 1000)) : LOOK_MS,
  )
  return undefined
}

/** The key is the name of the step that it becomes. */
function keyRefused({ code, message, details }: Refusal): EngineError {
  const issues = (details?.['issues'] ?? []) as readonly { readonly path: string; readonly message: string }[]
  const issue = issues.find(({ path }) => path === 'name')
  const said = issue === undefined ? message : `the key ${issue.message}`
  return new EngineError(code, said, { hint: 'steadfold once KEY -- COMMAND' })
}

interface Attending {
  readonly worker: Worker
  readonly options: Asked
  /** U4 */
  readonly adopted?: boolean
}

async function attend(
  ground: Ground,
  work: Work,
  attempt: Attempt,
  { worker, options, adopted = false }: Attending,
): Promise<OnceResult | undefined> {
  const { scale } = ground.deps
  const isOurs = () => isStillOurs(ground, work.key, attempt.token)
  const ended = await withNotice(options.signal, (told) => {
    const stop = adopted ? new Notice() : told
    const over = watchOver(worker, { timeout_ms: work.timeout_ms, scale, stop, isOurs, tell: () => undefined })
    const leave = [options.closing, ...(adopted ? [told] : [])]
    return Promise.race([worker.ended, ...leave.map(whenTold)]).finally(over)
  })
  if (ended === 'stopped') return letGo(ground, work, attempt, worker)
  const outcome = await conclude(ground, work, attempt, ended).catch(async (error: unknown) => {
    // U6: also for other processes, where the store takes so much.
    await letGo(ground, work, attempt, worker).catch(() => undefined)
    throw error
  })
  if (outcome.kind === 'dropped') return undefined
  // All that it wrote was told.
  const ran = { kind: 'ran', seq: ground.session.seq, truncated: [], lost: [] } as const
  if (outcome.kind === 'finished') {
    const { duration_ms, tokens, cost_usd } = outcome
    return { ...ran, exit: 0, duration_ms, tokens, cost_usd }
  }
  if (outcome.class === 'unknown' && !outcome.parked) return undefined
  if (outcome.class === 'unknown')
    throw new EngineError(
      'NEEDS_PERSON',
      `"${options.key}": ${outcome.reason}; whether it had its effect is not known`,
      { hint: release(ground.session, work) },
    )
  if (outcome.parked) throw parked(ground.session, work, { reason: outcome.reason, exit: outcome.exit })
  return { ...ran, exit: outcome.exit ?? 1, reason: outcome.reason, ...outcome.spent }
}

const whenTold = (notice: Notice) => new Promise<'stopped'>((resolve) => notice.on(() => resolve('stopped')))

/** U4, U5: whoever asks next may adopt it, even while this process goes on. */
async function letGo(
  { session, actor, deps }: Ground,
  { key }: Work,
  { token, dir }: Attempt,
  worker: Worker,
): Promise<undefined> {
  worker.detach()
  const from = deps.workers.self()
  // Of this host, where it is seen to be gone; on another nothing is known of it.
  const left = { dir, runner: { ...from, started: 'left' }, pid: worker.pid }
  await session.run('step.adopt', { key, token, worker: left, from }, { actor })
}

/** Of a process of another host, or container, it is never seen that it is gone. */
function whoRuns({ deps, session }: Ground, key: string, record: StepRecord): string {
  const { attempt } = record
  const runner = attempt?.worker?.runner ?? null
  if (runner === null || deps.workers.evidence(runner).kind !== 'unknown') return `another process runs "${key}"`
  const park = toType(session, 'step', 'park', wordFor(treeOf(session), record), '--gone')
  return `pid ${runner.pid} on ${runner.host} runs "${key}", which nobody sees from here; if it is gone: ${park}`
}

/** Another runs it: waits a little, or finds out what became of it when that other is gone. */
async function look(
  ground: Ground,
  { key, name, command, repeatable, attempt: last }: StepRecord,
  options: Asked,
): Promise<void> {
  const { deps, session } = ground
  assertNotStopped(options)
  const worker = last?.worker ?? null
  if (
    last === null ||
    worker === null ||
    (worker.runner !== null && !forsaken.has(worker.dir) && deps.workers.evidence(worker.runner).kind !== 'dead')
  )
    return deps.workspace.kernel.host.sleep(LOOK_MS)
  const { timeout_ms } = options
  const work: Work = { ...PLAIN, key, name, command: command ?? [], repeatable, timeout_ms }
  const attempt: Attempt = { token: last.token, number: last.number, dir: worker.dir }
  const found = await deps.workers.find({ session: session.id, dir: worker.dir, runner: worker.runner })
  if (found.kind === 'alive') {
    const adopted = { dir: worker.dir, runner: deps.workers.self(), pid: found.worker.pid }
    const input = { key, token: last.token, worker: adopted, from: worker.runner }
    const answer = await session.run('step.adopt', input, { actor: ground.actor })
    const attending = { worker: found.worker, options, adopted: true }
    if (answer.kind === 'accepted') await attend(ground, work, attempt, attending)
    else found.worker.detach()
  } else if (found.kind === 'never') {
    await session.run(
      'step.fail',
      { key, token: last.token, class: 'transient', reason: 'its runner died before it began', interrupted: true },
      { actor: ground.actor },
    )
    deps.workers.discard(session.id, worker.dir)
  } else await conclude(ground, work, attempt, found)
}

async function replay(ground: Ground, { result }: StepRecord, options: Asked, waited: boolean): Promise<OnceResult> {
  const truncated: ('stdout' | 'stderr')[] = []
  const lost: ('stdout' | 'stderr')[] = []
  for (const stream of ['stdout', 'stderr'] as const) {
    const captured = result?.[stream]
    if (!captured) continue
    const bytes = await readKept(ground, captured)
    if (bytes === undefined) lost.push(stream)
    else options.onOutput?.(stream, bytes)
    if (captured.truncated || bytes === undefined) truncated.push(stream)
  }
  const { exit = 0, duration_ms = 0, tokens = 0, cost_usd = 0 } = result ?? {}
  const { seq } = ground.session
  return { kind: waited ? 'waited' : 'replayed', exit, seq, duration_ms, tokens, cost_usd, truncated, lost }
}

/** Undefined where it is gone, or is not what was kept any more. */
async function readKept({ deps, session }: Ground, { sha256 }: Captured): Promise<Uint8Array | undefined> {
  const found = await readBlob(deps.workspace.kernel.log, session.id, sha256)
  return found === 'altered' ? undefined : found
}

/** U5 */
function assertOpen({ id }: Session, { closing }: Asked): void {
  if (closing.told) throw closed(`session ${id}`)
}

function assertNotStopped({ key, signal }: Asked): void {
  if (signal?.aborted !== true) return
  throw new EngineError('STEP_FAILED', `"${key}" was not run here: stopped before`, {
    hint: 'ask again to go on',
  })
}

/** As it was shown: what looked like a secret is not in it, and nothing is to be run in its place. */
function assertWhole({ key, argv }: Once): void {
  if (!argv.some(hasPlaceholder)) return
  throw new EngineError('INPUT_INVALID', `"${key}": its command holds a secret, which is not in the log`, {
    hint: 'give the command with the secret in the place of [redacted:…]',
  })
}

/** U3 */
function assertSameCommand({ deps, session }: Ground, record: StepRecord, { key, argv }: Once): void {
  const { command, status } = record
  // Nothing is kept of a failure, so nothing can be mistaken for it.
  if (status === 'failed' || status === 'ready' || isSameCommand(deps.workspace.kernel, command, argv)) return
  const whose = `"${key}" belongs to another command`
  if (status === 'parked')
    throw new EngineError('KEY_REUSED', `${whose}, which is parked: ${JSON.stringify(command)}`, {
      hint: `${release(session, record)}, when this one takes its place; otherwise choose another key`,
    })
  throw new EngineError('KEY_REUSED', `${whose}: ${JSON.stringify(command)}`, {
    hint: 'choose another key for another command',
  })
}

const release = (session: Session, called: Pick<StepRecord, 'key' | 'name'>): string =>
  toType(session, 'step', 'release', wordFor(treeOf(session), called))

const needsPerson = (session: Session, record: StepRecord): EngineError => {
  const { reason, failure } = record
  return parked(session, record, { reason: reason ?? '', ...(failure === null ? {} : { exit: failure.exit }) })
}

interface Parked {
  readonly reason: string
  readonly exit?: number | null
}

function parked(session: Session, called: Pick<StepRecord, 'key' | 'name'>, { reason, ...exit }: Parked): EngineError {
  const { name: key } = called
  return new EngineError('NEEDS_PERSON', `"${key}" is parked: ${reason}`, {
    hint: release(session, called),
    details: { key, ...exit },
  })
}

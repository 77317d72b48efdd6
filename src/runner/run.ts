/*
 * The runner: a workflow file, or one command, worked off in a session so that nothing is paid for twice.
 *
 *   definition ──► session ──► lease ──► what a dead runner left ──► states and steps ──► result
 *
 * R1. One runner per session: it holds the session's lease, and every step it starts carries the lease's token.
 * R2. A step begins when its beginning is durable, and is over when its result is.
 * R3. A step that is finished is not run again, by this run or another.
 */
import type { Definition } from '../domain/workflow/definition.ts'
import { isDefined, workflowOf } from '../domain/workflow/workflow.ts'
import { nameOf } from '../kernel/about-session.ts'
import { pathHere, rootsOf } from '../kernel/exchange/roots.ts'
import { accepted } from '../kernel/operation/answer.ts'
import { isForbiddenKey } from '../kernel/path/path.ts'
import type {
  RunCommand,
  Resumed,
  TakeSteps,
  RunOptions,
  RunResult,
  Runner,
  RunStatus,
  RunWorkflow,
} from '../kernel/work/runner.ts'
import { takeSteps } from './along.ts'
import { checked } from './arguments.ts'
import { forCommand } from './command-session.ts'
import { DEFAULT_PARALLEL, stateIn, stepsIn, Tally, type Run } from './context.ts'
import { drive, type End } from './flow.ts'
import { NO_SPENDING, stepNamed, toType, treeOf, type Ground } from './ground.ts'
import { holdLease } from './lease.ts'
import { listening } from './listener.ts'
import { loadDefinition, oneStep } from './load.ts'
import { withNotice } from './notice.ts'
import { once } from './once.ts'
import { DEFAULT_ACTOR, forWorkflow, given, openSession, ownDefinition, type Choice } from './open.ts'
import type { RunnerDeps } from './ports.ts'
import { rooted } from './rooted.ts'
import { settle } from './settle.ts'
import { runState } from './state.ts'
import { withStrays } from './strays.ts'

export type { RunnerDeps } from './ports.ts'

export function makeRunner(deps: RunnerDeps): Runner {
  return checked({
    runWorkflow: (options) => runWorkflow(deps, options),
    takeSteps: (options) => join(deps, options),
    runCommand: (options) => runCommand(deps, options),
    once: (options) => once(deps, options),
    loadWorkflow: async (file) => (await loadDefinition(deps, { file })).value,
  })
}

/** `beside` is the lease of a runner of this process that takes steps of the same workflow, and counts them itself. */
async function runWorkflow(deps: RunnerDeps, options: RunWorkflow, beside?: number): Promise<RunResult> {
  const { value, definition, folder } = await loadDefinition(deps, await said(deps, options))
  return inSession(
    deps,
    options,
    { definition, choice: forWorkflow(definition, options.actor), beside },
    async (opened, seq) => {
      const { pass } = workflowOf(treeOf(opened.session))
      accepted(await opened.session.run('workflow.define', { definition: value, folder }, { actor: opened.actor }))
      const run = { ...opened, deps: { ...opened.deps, workflowDir: folderOf(opened) } }
      const resumed = await settle(run, seq, { all: true })
      const again = await beginAgain(run, pass)
      announce(run, again ? null : resumed, again)
      const end = await withStrays(run, () => drive(run, options.wait === true))
      return { end, state: workflowOf(treeOf(run.session)).current, resumed: again ? null : resumed }
    },
  )
}

/** A session alone says it by the workflow that it has. */
const said = async ({ workspace }: RunnerDeps, { file, definition, session, signal }: RunWorkflow) =>
  file === undefined && definition === undefined && session !== undefined
    ? { definition: await ownDefinition(workspace, session) }
    : { file, definition, signal }

async function join(deps: RunnerDeps, options: TakeSteps): Promise<RunResult> {
  const { session, close } = await given(deps.workspace, options.session)
  const { actor, lease_ms, maxParallel, onEvent, signal } = options
  const definition = () => workflowOf(treeOf(session)).definition
  const driving = { session: session.id, actor, lease_ms, maxParallel, onEvent, signal, wait: true }
  try {
    return await takeSteps(deps, session, options, {
      runOn: (ground, ends) => newRun(ground, definition(), options, ends),
      resultOf: (run, end) => resultOf(run, { end, state: workflowOf(treeOf(session)).current, resumed: null }),
      drive: (beside) => runWorkflow(deps, { ...driving, definition: definition() }, beside),
    })
  } finally {
    await close()
  }
}

async function runCommand(deps: RunnerDeps, options: RunCommand): Promise<RunResult> {
  const { argv, name = commandName(argv), timeout_ms, repeatable = false } = options
  const step = { run: argv, repeatable, ...(timeout_ms === undefined ? {} : { timeout_ms }) }
  const choice = forCommand(deps.workspace.kernel, argv, name, options.actor ?? DEFAULT_ACTOR)
  return inSession(deps, options, { definition: oneStep(name, step), choice }, async (opened, seq) => {
    const called = besideSteps(opened, name)
    const definition = oneStep(called, step)
    const run = { ...opened, definition }
    const resumed = await settle(run, seq, { all: false })
    announce(run, resumed, false)
    const state = stateIn(definition, 'run')
    const outcome = state === undefined ? undefined : await withStrays(run, () => runState(run, 'run', state))
    return { end: commandEnd(run, called, outcome?.met === true), state: 'run', resumed }
  })
}

interface Driven {
  readonly end: End
  readonly state: string
  readonly resumed: Resumed | null
}

interface Plan {
  readonly definition: Definition
  readonly choice: Choice
  readonly beside?: number | undefined
}

type Task = (run: Run, seq: number) => Promise<Driven>

async function inSession(deps: RunnerDeps, options: RunOptions, plan: Plan, task: Task): Promise<RunResult> {
  const { session, close } = await openSession(deps.workspace, options.session, plan.choice)
  const actor = options.actor ?? DEFAULT_ACTOR
  let ends: 'completed' | 'failed' | undefined
  try {
    await session.refresh()
    const { seq } = session
    const isOver = plan.choice.ends(session)
    const lease = await holdLease(deps, session, { actor, ttl_ms: options.lease_ms })
    try {
      return await withNotice(options.signal, async (stop) => {
        const at = { deps: rooted(deps, session), session, actor }
        const ground: Ground = { ...at, lease: lease.token, bound: lease.bound }
        const until: Ends = { stop, lost: lease.lost, beside: plan.beside }
        const run = newRun(ground, plan.definition, options, until)
        const driven = await task(run, seq)
        ends = isOver ? outcomeOf(driven.end.status) : undefined
        return resultOf(run, driven)
      })
    } finally {
      await lease.release()
      if (ends !== undefined) accepted(await session.run('session.end', { outcome: ends }, { actor }))
    }
  } finally {
    await close()
  }
}

/** What ends the session of a single command; the others wait to be run again. */
const outcomeOf = (status: RunStatus) => (status === 'completed' || status === 'failed' ? status : undefined)

type Ends = Pick<Run, 'stop' | 'lost' | 'beside'>

function newRun(ground: Ground, definition: Definition, options: RunOptions, ends: Ends): Run {
  const { maxParallel = DEFAULT_PARALLEL, follow = false, onEvent } = options
  return {
    ...ground,
    ...ends,
    definition,
    maxParallel,
    follow,
    emit: listening(onEvent, (message) => ground.deps.workspace.kernel.warn(message)),
    tally: new Tally(),
    kept: new Set(),
    adopted: new Map(),
  }
}

function resultOf({ session, definition, tally }: Run, { end, state, resumed }: Driven): RunResult {
  const { status, code, message, hint } = end
  return {
    status,
    session: { id: session.id, name: nameOf(session) },
    workflow: definition.name,
    state,
    seq: session.seq,
    resumed,
    steps: {
      ran: tally.names('ran'),
      reused: tally.names('reused'),
      failed: tally.names('failed'),
      parked: tally.names('parked'),
      skipped: tally.names('skipped'),
    },
    spent: tally.spent,
    saved: tally.saved,
    code,
    message,
    hint,
  }
}

/** Where the file lies that the workflow came from, also when it is run again without the file. */
function folderOf({ session, deps }: Run): string {
  const said = workflowOf(treeOf(session)).folder
  const folder = said === null ? null : pathHere(rootsOf(session.stored), said)
  return folder === null || folder === '.' ? deps.dir : folder.startsWith('/') ? folder : `${deps.dir}/${folder}`
}

/**
 * W4: a workflow that came to its end starts anew, unless it has with its new definition (W5); what has not changed since is
 * taken from the ledger.
 */
async function beginAgain(run: Run, before: number): Promise<boolean> {
  if (workflowOf(treeOf(run.session)).completed_at !== null)
    accepted(await run.session.run('workflow.restart', {}, { actor: run.actor }))
  if (workflowOf(treeOf(run.session)).pass === before) return false
  run.kept.clear()
  run.tally.saved = NO_SPENDING
  return true
}

function announce(run: Run, resumed: Resumed | null, again: boolean): void {
  const { session, definition } = run
  run.emit({
    type: 'run-started',
    session: { id: session.id, name: nameOf(session) },
    workflow: definition.name,
    resumed,
    again,
  })
}

function commandEnd(run: Run, name: string, met: boolean): End {
  if (met) return { status: 'completed', code: undefined, message: 'completed', hint: undefined }
  if (run.stop.told)
    return { status: 'interrupted', code: undefined, message: 'stopped', hint: 'run it again to go on' }
  const record = stepNamed(run.session, name)
  if (record?.status === 'parked')
    return {
      status: 'needs-person',
      code: 'NEEDS_PERSON',
      message: `${name} is parked: ${record.reason ?? ''}`,
      hint: toType(run.session, 'step', 'release', name),
    }
  return {
    status: 'failed',
    code: 'STEP_FAILED',
    message: `${name} failed: ${record?.failure?.reason ?? ''}`,
    hint: 'run it again',
  }
}

/** In the session of a workflow the names of its steps are theirs: what they have done and handed back is found by them. */
function besideSteps({ session }: Run, name: string): string {
  const root = treeOf(session)
  const taken = new Set(isDefined(root) ? [...stepsIn(workflowOf(root).definition)].map((step) => step.name) : [])
  let free = name
  while (taken.has(free)) free = `run-${free}`
  return free
}

/** A name for a step from the program it runs. */
function commandName(argv: readonly string[]): string {
  const program = (argv[0] ?? '').slice((argv[0] ?? '').lastIndexOf('/') + 1)
  const plain = program
    .replace(/[^\w-]+/g, '-')
    .replace(/^[^A-Za-z_]+/, '')
    .slice(0, 100)
  return plain === '' || isForbiddenKey(plain) ? 'command' : plain
}

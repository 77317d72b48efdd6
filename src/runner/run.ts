/*
 * The runner: a workflow file, or one command, worked off in a session so that nothing is paid for twice.
 *
 *   definition ──► session ──► lease ──► what a dead runner left ──► states and steps ──► result
 *
 * R1. One runner per session: it holds the session's lease, and every step it starts carries the lease's token.
 * R2. A step begins when its beginning is durable, and is over when its result is.
 * R3. A step that is finished is not run again, by this run or another.
 */
import { workflowOf } from '../domain/workflow/workflow.ts'
import type { Definition } from '../domain/workflow/definition.ts'
import type { RunCommand, Resumed, RunOptions, RunResult, Runner, RunWorkflow } from '../kernel/runner.ts'
import type { Session } from '../kernel/session.ts'
import { DEFAULT_PARALLEL, stateIn, stepsIn, Tally, type Run } from './context.ts'
import { drive, type End } from './flow.ts'
import { accepted, NO_SPENDING, stepNamed, treeOf, type Ground } from './ground.ts'
import { holdLease } from './lease.ts'
import { loadDefinition, oneStep } from './load.ts'
import { withNotice } from './notice.ts'
import { once } from './once.ts'
import type { RunnerDeps } from './ports.ts'
import { openSession } from './open.ts'
import { settle } from './settle.ts'
import { runState } from './state.ts'

export type { RunnerDeps } from './ports.ts'

const DEFAULT_ACTOR = 'tool:runner'

export function makeRunner(deps: RunnerDeps): Runner {
  return {
    runWorkflow: (options) => runWorkflow(deps, options),
    runCommand: (options) => runCommand(deps, options),
    once: (options) => once(deps, options),
    loadWorkflow: async (file) => (await loadDefinition(deps, { file })).value,
  }
}

export async function runWorkflow(deps: RunnerDeps, options: RunWorkflow): Promise<RunResult> {
  const { value, definition, folder } = await loadDefinition(deps, options)
  return inSession(deps, options, definition, async (opened, seq) => {
    accepted(await opened.session.run('workflow.define', { definition: value, folder }, { actor: opened.actor }))
    const run = { ...opened, deps: { ...deps, workflowDir: folderOf(opened) } }
    const resumed = await settle(run, seq)
    const again = await beginAgain(run)
    announce(run, again ? null : resumed)
    const end = await drive(run, options.wait === true)
    return { end, state: workflowOf(treeOf(run.session)).current, resumed: again ? null : resumed }
  })
}

export async function runCommand(deps: RunnerDeps, options: RunCommand): Promise<RunResult> {
  const { argv, name = commandName(argv), timeout_ms, repeatable = false } = options
  const definition = oneStep(name, { run: argv, repeatable, ...(timeout_ms === undefined ? {} : { timeout_ms }) })
  return inSession(deps, options, definition, async (run, seq) => {
    const resumed = await settle(run, seq)
    announce(run, resumed)
    const state = stateIn(definition, 'run')
    const outcome = state === undefined ? undefined : await runState(run, 'run', state)
    return { end: commandEnd(run, name, outcome?.met === true), state: 'run', resumed }
  })
}

interface Driven {
  readonly end: End
  readonly state: string
  readonly resumed: Resumed | null
}

type Task = (run: Run, seq: number) => Promise<Driven>

async function inSession(
  deps: RunnerDeps,
  options: RunOptions,
  definition: Definition,
  task: Task,
): Promise<RunResult> {
  const { session, close } = await openSession(deps.workspace, definition, options.session)
  try {
    await session.refresh()
    const { seq } = session
    const lease = await holdLease(deps, session, options.actor ?? DEFAULT_ACTOR)
    try {
      return await withNotice(options.signal, async (stop) => {
        const run = newRun(
          { deps, session, actor: options.actor ?? DEFAULT_ACTOR, lease: lease.token },
          definition,
          options,
          { stop, lost: lease.lost },
        )
        return resultOf(run, await task(run, seq))
      })
    } finally {
      await lease.release()
    }
  } finally {
    await close()
  }
}

function newRun(ground: Ground, definition: Definition, options: RunOptions, ends: Pick<Run, 'stop' | 'lost'>): Run {
  const { maxParallel = DEFAULT_PARALLEL, follow = false, onEvent = () => undefined } = options
  return {
    ...ground,
    ...ends,
    definition,
    maxParallel,
    follow,
    emit: onEvent,
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
  const { folder } = workflowOf(treeOf(session))
  return folder === null || folder === '.' ? deps.dir : folder.startsWith('/') ? folder : `${deps.dir}/${folder}`
}

/** W4: a workflow that came to its end starts anew; what has not changed since is taken from the ledger. */
async function beginAgain(run: Run): Promise<boolean> {
  const { current, terminal, intent } = workflowOf(treeOf(run.session))
  const steps = Object.keys(stateIn(run.definition, current)?.steps ?? {})
  const open = steps.some((name) => stepNamed(run.session, name)?.status !== 'finished')
  const known = [...stepsIn(run.definition)].some(({ name }) => stepNamed(run.session, name) !== undefined)
  if (current !== terminal || intent !== null || open || !known) return false
  accepted(await run.session.run('workflow.restart', {}, { actor: run.actor }))
  run.kept.clear()
  run.tally.saved = NO_SPENDING
  return true
}

function announce(run: Run, resumed: Resumed | null): void {
  const { session, definition } = run
  run.emit({
    type: 'run-started',
    session: { id: session.id, name: nameOf(session) },
    workflow: definition.name,
    resumed,
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
      hint: `steadfold step release ${name}`,
    }
  return {
    status: 'failed',
    code: 'STEP_FAILED',
    message: `${name} failed: ${record?.failure?.reason ?? ''}`,
    hint: 'run it again',
  }
}

const nameOf = (session: Session): string => String(session.get('$.session.name') ?? '')

/** A name for a step from the program it runs. */
function commandName(argv: readonly string[]): string {
  const program = (argv[0] ?? '').slice((argv[0] ?? '').lastIndexOf('/') + 1)
  const plain = program
    .replace(/[^\w-]+/g, '-')
    .replace(/^[^A-Za-z_]+/, '')
    .slice(0, 100)
  return plain === '' ? 'command' : plain
}

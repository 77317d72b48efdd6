/*
 * What a program asks of the runner, looked at before a lease is taken: no step ever starts under a limit of none, and who is
 * stopped before it begins begins nothing.
 */
import { openSession } from '../kernel/about-session.ts'
import {
  actor,
  assertFits,
  assertGiven,
  assertOptions,
  call,
  flag,
  signal,
  text,
  type Rule,
} from '../kernel/arguments.ts'
import { EngineError } from '../kernel/error.ts'
import type { Once, RunCommand, Runner, RunOptions, RunWorkflow, TakeSteps } from '../kernel/work/runner.ts'

type RulesOf<T> = Readonly<Record<keyof T, Rule>>

const session: Rule = {
  fits: (value) => text.fits(value) || openSession.fits(value),
  must: 'must be an id, a name or an open session',
}
const ms: Rule = {
  fits: (value) => typeof value === 'number' && value > 0,
  must: 'must be a number of milliseconds above 0',
}
const argv: Rule = {
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(text.fits),
  must: 'must be a list of texts: a program and its arguments',
}

const RUN: RulesOf<RunOptions> = {
  session,
  maxParallel: { fits: (value) => Number.isInteger(value) && Number(value) > 0, must: 'must be a number above 0' },
  actor,
  follow: flag,
  wait: flag,
  onEvent: call,
  signal,
  lease_ms: ms,
}
const WORKFLOW: RulesOf<RunWorkflow> = {
  file: text,
  definition: { fits: () => true, must: '' },
  ...RUN,
}
const COMMAND: RulesOf<RunCommand> = { argv, name: text, timeout_ms: ms, repeatable: flag, ...RUN }
const ONCE: RulesOf<Once> = {
  session,
  key: text,
  argv,
  stdin: { fits: (value) => value === 'inherit', must: 'must be "inherit"' },
  repeatable: flag,
  timeout_ms: ms,
  actor,
  onOutput: call,
  onWait: call,
  signal,
}
const TAKE: RulesOf<TakeSteps> = RUN

/** Throws INPUT_INVALID, and what a signal that has aborted did so with; the runner itself is asked only for what it can do. */
export const checked = (runner: Runner): Runner => ({
  runWorkflow: async (options) => {
    assertOptions('runWorkflow', options, WORKFLOW)
    assertOneWorkflow(options)
    assertNotStopped(options)
    return runner.runWorkflow(options)
  },
  takeSteps: async (options) => {
    assertOptions('takeSteps', options, TAKE)
    assertGiven('takeSteps', options, 'session')
    assertNotStopped(options)
    return runner.takeSteps(options)
  },
  runCommand: async (options) => {
    assertOptions('runCommand', options, COMMAND)
    assertGiven('runCommand', options, 'argv')
    assertNotStopped(options)
    return runner.runCommand(options)
  },
  once: async (options) => {
    assertOptions('once', options, ONCE)
    assertGiven('once', options, 'session', 'key', 'argv')
    assertNotStopped(options)
    return runner.once(options)
  },
  loadWorkflow: async (file) => {
    assertFits(file, text, 'loadWorkflow: the file', "loadWorkflow('review.workflow.yaml')")
    return runner.loadWorkflow(file)
  },
})

function assertOneWorkflow({ file, definition, session: named }: RunWorkflow): void {
  const [isFile, isDefinition] = [file !== undefined, definition !== undefined]
  if (isFile !== isDefinition || (!isFile && named !== undefined)) return
  const why = isFile ? 'file and definition are two workflows' : 'file, definition or session missing'
  throw new EngineError('INPUT_INVALID', `runWorkflow: ${why}`, {
    hint: 'runWorkflow({ file }), runWorkflow({ definition }), or runWorkflow({ session }), which goes on with the one it has',
  })
}

function assertNotStopped({ signal: stop }: Pick<RunOptions, 'signal'>): void {
  if (stop?.aborted === true) throw stop.reason ?? new DOMException('stopped before it began', 'AbortError')
}

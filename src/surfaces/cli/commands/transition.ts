/*
 * A transition with its handler: intent, command, outcome.
 *
 *   transition TO -- CMD ──► intent ──► CMD, once for this intent ──► outcome
 *                              │          └─failed─► error state ──► --resume -- CMD, or --abandon
 *                              └─killed─► shown by status until it is resumed or abandoned
 *
 * TR1. However often it is resumed, a command that succeeded for an intent does not run again for it.
 */
import { failure } from '../../../kernel/decision.ts'
import { EngineError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import type { Commit } from '../../../kernel/log/commit.ts'
import { accepted, type Answer, type RunOptions } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import { whole } from '../../../kernel/text/whole.ts'
import type { OnceResult, Runner } from '../../../kernel/work/runner.ts'
import { written } from '../answer/answer.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, listOf, needed, textOf, timeoutOf, usage, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { Shown } from '../show/shown.ts'
import { plain } from '../show/text.ts'
import { handlerOf, stepsOf, textAt } from '../show/view.ts'
import { said } from './workflow.ts'

export async function transitionWith(app: App, context: Context, input: Input): Promise<Result> {
  if (isOn(input, 'begin') || isOn(input, 'abandon'))
    throw usage('a command stands between intent and outcome', 'leave --begin and --abandon out')
  const timeout_ms = timeoutOf(input)
  const session = await context.session('write')
  const begun = isOn(input, 'resume') ? await resumed(context, session, input) : await told(context, session, input)
  if (begun !== undefined) return begun
  const { to, token } = intentOf(session)
  await approved(context, session, to)
  const runner = await app.runner(await context.workspace())
  const key = handlerOf(to, token)
  const done = await perform(runner, context, input, { session, key, timeout_ms })
  if (done.exit !== 0) {
    const reason = done.reason ?? `exit ${done.exit}`
    const isTold = await failed(session, key, reason, { actor: context.actor, kind: 'transient' })
    throw new EngineError('STEP_FAILED', `on the way to "${to}": ${reason}`, {
      hint: isTold ? `steadfold workflow transition ${to} --resume -- CMD, or --abandon` : SHOW,
      details: { to, exit: done.exit, reason },
    })
  }
  if (!(await isUnderWay(session, key)) && session.get('$.workflow.intent') !== null)
    throw new EngineError('TRANSITION_UNFINISHED', `this way to "${to}" was taken back, and another was begun`, {
      hint: SHOW,
    })
  return written(context, await session.run('workflow.transition', { to, resume: true }, outcome(context, input)), said)
}

const SHOW = 'steadfold workflow show'

/** Whether the intent that a command runs for still stands: somebody may take it back, and begin another. */
async function isUnderWay(session: Session, key: string): Promise<boolean> {
  await session.refresh()
  const { to, token } = intentOf(session)
  return handlerOf(to, token) === key
}

/** Where the intent was told before, what is said now is said of the outcome. */
function outcome({ actor, options: { key, reason } }: Context, input: Input): RunOptions {
  return isOn(input, 'resume') ? { actor, key, reason } : { actor }
}

/** A result when there is nothing to perform. */
async function told(context: Context, session: Session, input: Input): Promise<Result | undefined> {
  const { options } = context
  const answer = await session.run('workflow.transition', { to: needed(input, 'to'), begin: true }, options)
  const { seq, events, repeated } = accepted(answer)
  if (events.length === 0 || options.dryRun === true) return written(context, answer, said)
  if (repeated !== true) return undefined
  // Asked for again with its key it goes on, unless it has its outcome.
  if (intentOf(session).token === seq) return resumed(context, session, input)
  return written(context, { ...answer, ...(await outcomeOf(session, seq)) }, said)
}

/** Of an intent that is over: the next that the log tells is what became of it, where it was not told at once. */
async function outcomeOf(session: Session, token: number): Promise<Pick<Commit, 'seq' | 'events'>> {
  for await (const { seq, events } of session.commits({ after: token - 1 })) {
    if (events.some(({ type }) => type === 'workflow.transitioned')) return { seq, events }
    if (events.some(({ type }) => type === 'workflow.transition-abandoned')) break
  }
  throw new EngineError('TRANSITION_INVALID', 'the transition that this key began was taken back', {
    hint: 'begin it again with another key',
  })
}

async function resumed(context: Context, session: Session, input: Input): Promise<Result | undefined> {
  const { options, actor } = context
  const asked = { to: textOf(input, 'to'), resume: true }
  const now = isOn(input, 'resume') ? options : { actor }
  const rehearsed = await session.run('workflow.transition', asked, { ...now, dryRun: true })
  if (options.dryRun === true || !isOpen(rehearsed)) return written(context, rehearsed, said)
  if (textAt(session.get('$.workflow.error.last_error')) !== null)
    accepted(await session.run('workflow.retry', { approve: isReleased(session) }, { actor }))
  return undefined
}

/** Its command is next, when a person approves. */
const isOpen = (answer: Answer): boolean =>
  answer.kind === 'refused' ? answer.code === 'NEEDS_PERSON' : answer.events.length > 0 && answer.repeated !== true

/** Whoever released its command has approved the retry. */
function isReleased(session: Session): boolean {
  const { to, token } = intentOf(session)
  return isCommand(session, handlerOf(to, token), 'ready')
}

const isCommand = (session: Session, key: string, status: string): boolean =>
  stepsOf(session).some((step) => step.name === key && step.status === status)

function intentOf(session: Session): { readonly to: string; readonly token: number } {
  const { to, token } = membersOf(session.get('$.workflow.intent'))
  return { to: String(to), token: Number(token) }
}

/** W9: before its command has had any effect. */
async function approved({ actor }: Context, session: Session, to: string): Promise<void> {
  const answer = await session.run('workflow.transition', { to, resume: true }, { actor, dryRun: true })
  if (answer.kind === 'accepted') return
  throw failure({ ...answer, hint: `a person lets it go on: steadfold workflow transition ${to} --resume -- CMD` })
}

interface At {
  readonly session: Session
  readonly key: string
  readonly timeout_ms: number | undefined
}

/** TR1: the key names the intent. */
async function perform(
  runner: Runner,
  context: Context,
  input: Input,
  { session, key, timeout_ms }: At,
): Promise<OnceResult> {
  const shown = new Shown()
  try {
    return await runner.once({
      session,
      key,
      argv: listOf(input, 'command'),
      actor: context.actor,
      timeout_ms,
      repeatable: isOn(input, 'repeatable'),
      signal: context.signal,
      onOutput: (stream, bytes) =>
        shown.show(() => (stream === 'stderr' || context.json ? context.io.err(bytes) : context.io.out(bytes))),
      onWait: (why) => shown.show(() => context.note(`waiting: ${plain(why)}`)),
    })
  } catch (error) {
    if (error instanceof EngineError && error.code === 'NEEDS_PERSON')
      await failed(session, key, error.message, { actor: context.actor, kind: 'terminal' })
    throw ownKey(error, session, key)
  }
}

/** Nobody chooses the key of a transition; one that is parked is released for another command. */
function ownKey(error: unknown, session: Session, key: string): unknown {
  if (!(error instanceof EngineError && error.code === 'KEY_REUSED') || isCommand(session, key, 'parked')) return error
  return new EngineError(error.code, error.message, {
    hint: `give that command, or take the transition back: steadfold workflow transition ${intentOf(session).to} --abandon`,
  })
}

/** Whether it is told as an error of the state that its transition leads to. */
async function failed(
  session: Session,
  key: string,
  reason: string,
  { actor, kind }: { readonly actor: string; readonly kind: 'transient' | 'terminal' },
): Promise<boolean> {
  if (!(await isUnderWay(session, key))) return false
  accepted(await session.run('workflow.fail', { reason: whole(reason, 4000), class: kind }, { actor }))
  return true
}

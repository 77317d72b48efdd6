/*
 * Runs one command and says what came of it.
 *
 * P1. stdout is data, stderr is messages; with --json both answers and errors are one object on stdout.
 * P2. The exit status is that of the code; never 2, which agent programs read as "block this".
 */
import { orArchived } from '../../../kernel/care/put-away.ts'
import { asError, EngineError, exitStatus, isError, type ErrorCode } from '../../../kernel/error.ts'
import { orDamage } from '../../../kernel/log/replay.ts'
import type { Environment } from '../context/actor.ts'
import { Context, type World } from '../context/context.ts'
import type { HotApp } from '../context/hot-app.ts'
import type { Result } from '../context/result.ts'
import { ReaderGone } from '../show/io.ts'
import { plainLines } from '../show/text.ts'
import type { Call } from '../syntax/command.ts'

export async function perform<A extends HotApp>(app: A, call: Call<A>, world: World): Promise<number> {
  const context = new Context(app, world, call.input, call.command.name)
  try {
    const result = await call.command.run(context, call.input)
    const durable = context.seen?.seq
    await context.close()
    const status = answer(context, call, result)
    if (durable !== undefined && context.isStopped) context.note(`stopped; everything up to seq ${durable} is durable`)
    return status
  } catch (error) {
    const failure = await orPutAway(context, error)
    await context.close().catch(() => undefined)
    return fail(context, call, failure)
  }
}

/** Somebody may archive a session that is waited for. */
async function orPutAway(context: Context, error: unknown): Promise<unknown> {
  return context.seen === undefined ? error : orArchived(await context.workspace(), context.seen.id, error)
}

/** What was done stays done where nobody reads of it. */
function answer<A extends HotApp>(context: Context<A>, call: Call<A>, result: Result): number {
  try {
    say(context, call, result)
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error
  }
  return result.exit ?? 0
}

function say<A extends HotApp>(context: Context<A>, { command }: Call<A>, result: Result): void {
  if (context.json) {
    const type = command.streams === true ? { type: 'result' } : {}
    context.io.out(`${JSON.stringify({ ...type, schema: schemaOf(command.name), data: result.data ?? null })}\n`)
  } else {
    const text = typeof result.text === 'string' ? result.text : result.text()
    if (text !== '') context.io.out(`${text}\n`)
  }
}

const schemaOf = (command: string): string => `steadfold/${command.replaceAll(' ', '.')}/v1`

function fail<A extends HotApp>(context: Context<A>, { command }: Call<A>, error: unknown): number {
  if (error instanceof ReaderGone) return 0
  const isStop = context.isStopped && error === context.signal.reason
  const failure = isStop ? stoppedBefore() : withSource(orDamage(asFailure(error), context.seen), context.env)
  // The hot parser hands these over, so that the full one may explain.
  if (failure.code === 'USAGE') throw failure
  const type = command.streams === true ? { type: 'result', schema: schemaOf(command.name) } : {}
  sayError(context, failure, type)
  return exitStatus(failure.code)
}

/** The exit status is that of the signal. */
const stoppedBefore = () =>
  new EngineError('STEP_FAILED', 'stopped before anything was begun', { hint: 'run it again' })

const SOURCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  WORKSPACE_NOT_FOUND: 'STEADFOLD_DIR',
  SESSION_NOT_FOUND: 'STEADFOLD_SESSION',
}

/** A name out of the environment is easily forgotten. */
function withSource(failure: EngineError, env: Environment): EngineError {
  const { code, message, hint, details = {}, cause } = failure
  const source = SOURCES[code]
  const named = source === undefined ? undefined : env[source]
  if (named === undefined || named === '' || !message.includes(named)) return failure
  return new EngineError(code, message, {
    hint: `${source} names it: change or unset that; or ${hint ?? 'steadfold --help'}`,
    details,
    cause,
  })
}

/** Where stdout takes no more, stderr may: nothing is thrown, the exit status stays that of the failure. */
export function sayError(context: Context, failure: EngineError, more: object = {}): void {
  const { io, json, env } = context
  const hint = failure.hint === undefined ? undefined : context.kept(failure.hint)
  try {
    if (json) io.out(`${JSON.stringify({ ...more, error: errorData(failure, hint) })}\n`)
    else io.err(errorText(failure, hint, env))
  } catch (error) {
    if (!(error instanceof ReaderGone) && json) onlyErr(context, errorText(failure, hint, env))
  }
}

function onlyErr({ io }: Context, text: string): void {
  try {
    io.err(text)
  } catch {
    // Nobody reads that either.
  }
}

function errorData({ code, message, details }: EngineError, hint: string | undefined) {
  return { code, message, hint: hint ?? null, details: details ?? null }
}

/** `error:` and the message, more lines indented, `next:` and what to do. What others said in it moves no cursor. */
function errorText(failure: EngineError, hint: string | undefined, env: Environment): string {
  const [first = '', ...rest] = plainLines(failure.message).split('\n')
  const lines = [`error: ${first}`, ...rest.map((line) => `  ${line.trimStart()}`)]
  if (hint !== undefined) lines.push(`next: ${plainLines(hint)}`)
  if ((env['STEADFOLD_DEBUG'] ?? '') !== '') lines.push(stackOf(failure))
  return `${lines.join('\n')}\n`
}

function stackOf(error: unknown): string {
  if (!isError(error)) return String(error)
  return error.cause === undefined ? (error.stack ?? '') : `${error.stack ?? ''}\ncaused by ${stackOf(error.cause)}`
}

export function asFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  const message = asError(error).message
  return new EngineError('UNEXPECTED', message, {
    hint: 'set STEADFOLD_DEBUG=1 to see where; please report it',
    cause: error,
  })
}

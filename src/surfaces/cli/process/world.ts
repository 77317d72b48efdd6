/*
 * The process around a command: signals, warnings, and what nobody caught.
 *
 * S1. Ctrl-C or SIGTERM once stops cleanly; twice stops at once. A command that only reads, and never asks whether it is
 *     stopped, is stopped at once: it would go on to its end, however long that takes. The exit status is 130 or 143. Where
 *     a command calls what gives nobody a turn until it is through, the system stops it, and so where a command is through and
 *     something else goes on, such as an exporter of telemetry whose server does not answer.
 * S2. What nobody caught is said in a line and exits 1; where it came from only with STEADFOLD_DEBUG.
 */
import { asError, EngineError, isError } from '../../../kernel/error.ts'
import { WARNING } from '../../../kernel/kernel.ts'
import type { World } from '../context/context.ts'
import { endBy, STATUS, stopOf } from '../show/end-by.ts'
import type { Io } from '../show/io.ts'

export function world(io: Io): World {
  const { env } = process
  const stop = new AbortController()
  let isAsked = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A quick program that hands the line to the full parser has made a world of its own before.
    process.removeAllListeners(signal).on(signal, () => {
      if (stop.signal.aborted || !isAsked) endBy(signal)
      stop.abort(signal)
    })
  }
  sayWarnings(io)
  process.on('uncaughtException', (error: unknown) => {
    sayUncaught(io, error, (env['STEADFOLD_DEBUG'] ?? '') !== '')
    process.exit(1)
  })
  return {
    io,
    env,
    get cwd() {
      return currentFolder()
    },
    get signal() {
      isAsked = true
      return stop.signal
    },
    get isStopped() {
      isAsked = true
      return stop.signal.aborted
    },
    onStop: (then) => stop.signal.addEventListener('abort', then),
  }
}

/** Before what gives nobody a turn until it is through, and behind a command: what is left is not ours (S1). */
export function leaveSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal)
}

/** Asked for on use: a command that names its folder does not need it. */
export function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new EngineError('FILE_NOT_FOUND', 'the folder you are in was removed', {
      hint: 'cd to one that exists, or name the workspace: --dir DIR',
      cause,
    })
  }
}

/** The status of a command that was stopped; undefined when it was not. */
export const stoppedStatus = (signal: AbortSignal): number | undefined =>
  signal.aborted ? STATUS[stopOf(signal)] : undefined

/**
 * Instead of Node's own words for them. Ours at once: a short command has ended before Node would tell of them. Others are
 * arranged for when there is one: that takes longer than most of what a short command does.
 */
export function sayWarnings(io: Io): void {
  const { emitWarning } = process
  const say = (message: string) => io.err(`warning: ${message}\n`)
  process.emitWarning = (...given: readonly unknown[]) => {
    const [message, type] = given
    if (type === WARNING) return say(String(message))
    if (process.listenerCount('warning', onWarning) === 0)
      process.removeAllListeners('warning').on('warning', onWarning)
    Reflect.apply(emitWarning, process, given)
  }
  function onWarning({ message }: Error): void {
    say(message)
  }
}

export function sayUncaught(io: Io, error: unknown, debug: boolean): void {
  const said = asError(error).message
  const stack =
    debug && isError(error) ? `${error.stack ?? ''}\n` : 'next: set STEADFOLD_DEBUG=1 to see where; please report it\n'
  try {
    io.err(`error: ${said}\n${stack}`)
  } catch {
    // Nobody reads.
  }
}

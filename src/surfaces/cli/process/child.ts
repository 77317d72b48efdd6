/*
 * A command that works in the foreground in our place: what would end us goes on to it, and its status is ours.
 */
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { asError } from '../../../kernel/error.ts'
import type { Context } from '../context/context.ts'

export interface ChildStatus {
  /** Its own; 128 + n for signal n, 127 and 126 when it could not be started. */
  readonly exit: number
  readonly signal: string | undefined
  /** Why it could not be started. */
  readonly failure: NodeJS.ErrnoException | undefined
}

export interface Foreground {
  /** Undefined where it could not even be tried. */
  readonly child: ChildProcess | undefined
  readonly ended: Promise<ChildStatus>
  /** Nothing more goes on to it. */
  readonly leave: () => void
}

/** What comes before it is there goes on to it, too: it may be at work before `start` is back, and must not outlive us then. */
export function inForeground({ signal, io }: Pick<Context, 'signal' | 'io'>, start: () => ChildProcess): Foreground {
  let child: ChildProcess | undefined
  // What goes on nevertheless is not left alone.
  const hangUp = () => void child?.kill('SIGHUP')
  const forward = () => {
    if (signal.reason === 'SIGTERM') child?.kill('SIGTERM')
    // A terminal sends Ctrl-C to the command by itself.
    else if (!io.isTerminal('in')) child?.kill('SIGINT')
  }
  process.on('SIGHUP', hangUp)
  signal.addEventListener('abort', forward)
  const leave = () => {
    signal.removeEventListener('abort', forward)
    process.off('SIGHUP', hangUp)
  }
  try {
    child = start()
  } catch (error) {
    return { child, ended: Promise.resolve(notStarted(asError(error))), leave }
  }
  if (signal.aborted) forward()
  return { child, ended: statusOf(child), leave }
}

function statusOf(child: ChildProcess): Promise<ChildStatus> {
  return new Promise((resolve) => {
    child.on('error', (failure) => resolve(notStarted(failure)))
    child.on('close', (code, signal) =>
      resolve({
        exit: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        signal: signal ?? undefined,
        failure: undefined,
      }),
    )
  })
}

function notStarted(failure: NodeJS.ErrnoException): ChildStatus {
  return { exit: failure.code === 'ENOENT' ? 127 : 126, signal: undefined, failure }
}

/*
 * A command that works in the foreground in our place: what would end us goes on to it, and its status is ours.
 */
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Context } from './context.ts'

export interface ChildStatus {
  /** Its own; 128 + n for signal n, 127 and 126 when it could not be started. */
  readonly exit: number
  readonly signal: string | undefined
  /** Why it could not be started. */
  readonly failure: NodeJS.ErrnoException | undefined
}

export function statusOf(child: ChildProcess): Promise<ChildStatus> {
  return new Promise((resolve) => {
    child.on('error', (failure: NodeJS.ErrnoException) =>
      resolve({ exit: failure.code === 'ENOENT' ? 127 : 126, signal: undefined, failure }),
    )
    child.on('close', (code, signal) =>
      resolve({
        exit: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        signal: signal ?? undefined,
        failure: undefined,
      }),
    )
  })
}

/** What came before it was there goes on to it, too. The answer ends it. */
export function forwarding({ signal, io }: Pick<Context, 'signal' | 'io'>, child: ChildProcess): () => void {
  const forward = () => {
    if (signal.reason === 'SIGTERM') child.kill('SIGTERM')
    // A terminal sends Ctrl-C to the command by itself.
    else if (!io.isTerminal('in')) child.kill('SIGINT')
  }
  // What goes on nevertheless is not left alone.
  const hangUp = () => void child.kill('SIGHUP')
  process.on('SIGHUP', hangUp)
  signal.addEventListener('abort', forward)
  if (signal.aborted) forward()
  return () => {
    signal.removeEventListener('abort', forward)
    process.off('SIGHUP', hangUp)
  }
}

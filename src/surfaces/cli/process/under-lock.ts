/*
 * A command that runs under a lock.
 *
 * W1. The lock is renewed while the command runs, and given back when it ends, however that is.
 * W2. When the lock is lost the command is stopped: SIGTERM, and SIGKILL 10 s later.
 * W3. The status is the command's own: its exit status, 128 + n for signal n, 127 and 126 when it could not be started.
 * W4. A terminal that is closed is told to the command, too; one that goes on nevertheless goes on under its lock.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { asError } from '../../../kernel/error.ts'
import type { Session } from '../../../kernel/session.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import type { HeldLock } from '../../../waiting/lock.ts'
import type { Context } from '../context/context.ts'
import { plain } from '../show/text.ts'
import { inForeground } from './child.ts'

const GRACE_MS = 10_000

export interface Done {
  readonly exit: number
  /** Why the lock was lost, if it was. */
  readonly lost: string | undefined
}

export async function runUnder(
  context: Context,
  session: Session,
  lock: HeldLock,
  argv: readonly string[],
): Promise<Done> {
  const { child, ended, leave } = inForeground(context, () => start(context, session, lock, argv))
  const stopped = () => {
    if (child !== undefined) stop(child)
  }
  lock.lost.addEventListener('abort', stopped)
  if (lock.lost.aborted) stopped()
  try {
    const { exit, failure } = await ended
    if (failure !== undefined) sayFailure(context, failure, argv[0] ?? '')
    return { exit, lost: lock.lost.aborted ? asError(lock.lost.reason).message : undefined }
  } finally {
    leave()
    lock.lost.removeEventListener('abort', stopped)
    await lock.release()
  }
}

function start(context: Context, session: Session, lock: HeldLock, argv: readonly string[]): ChildProcess {
  const [program = '', ...words] = argv
  return spawn(program, words, {
    cwd: context.cwd,
    // With --json stdout is for the one object.
    stdio: ['inherit', context.json ? 2 : 'inherit', 'inherit'],
    env: {
      ...context.env,
      STEADFOLD_SESSION: session.id,
      STEADFOLD_DIR: context.dir,
      STEADFOLD_LOCK_OWNER: lock.owner,
      STEADFOLD_LOCK_TOKEN: String(lock.token),
      STEADFOLD_LOCK_RESOURCE: lock.resource,
    },
  })
}

/** W3 */
function sayFailure(context: Context, failure: NodeJS.ErrnoException, program: string): void {
  context.note(`error: cannot run ${plain(program)}: ${failure.code ?? failure.message}`)
  context.note(`next: ${nextFor(failure, program)}`)
}

function nextFor({ code }: NodeJS.ErrnoException, program: string): string {
  if (code !== 'ENOENT') return `may it be run? ls -l ${quoted(program)}`
  return program.includes('/')
    ? `is it there? ls -l ${quoted(program)}`
    : 'name a program that is on the PATH, or by its path; what a shell has to read: -- sh -c TEXT'
}

/** W2 */
function stop(child: ChildProcess): void {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  child.on('close', () => clearTimeout(timer))
}

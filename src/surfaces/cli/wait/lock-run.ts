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
import type { Context } from '../context/context.ts'
import { inForeground } from '../process/child.ts'
import { plain } from '../show/text.ts'
import type { Hold, LockRequest } from './lock-hold.ts'

const GRACE_MS = 10_000

export interface Run extends LockRequest {
  readonly hold: Hold
  readonly argv: readonly string[]
}

export interface Done {
  readonly exit: number
  /** Why the lock was lost, if it was. */
  readonly lost: string | undefined
}

export async function runUnder(context: Context, session: Session, run: Run): Promise<Done> {
  const { hold, resource, owner, actor } = run
  const { child, ended, leave } = inForeground(context, () => start(context, session, run))
  let lost: string | undefined
  const stopRenewing = renewing(session, run, (why) => {
    lost ??= why
    if (child !== undefined) stop(child)
  })
  try {
    const { exit, failure } = await ended
    if (failure !== undefined) sayFailure(context, failure, run.argv[0] ?? '')
    return { exit, lost }
  } finally {
    leave()
    await stopRenewing()
    // Refused when it was lost. One that cannot be given back runs out.
    if (!hold.again)
      await session.run('lock.release', { resource, token: hold.token, owner }, { actor }).catch(() => undefined)
  }
}

function start(context: Context, session: Session, { argv, hold, owner = '' }: Run): ChildProcess {
  const [program = '', ...words] = argv
  return spawn(program, words, {
    cwd: context.cwd,
    // With --json stdout is for the one object.
    stdio: ['inherit', context.json ? 2 : 'inherit', 'inherit'],
    env: {
      ...context.env,
      STEADFOLD_SESSION: session.id,
      STEADFOLD_DIR: context.dir,
      STEADFOLD_LOCK_OWNER: owner,
      STEADFOLD_LOCK_TOKEN: String(hold.token),
      STEADFOLD_LOCK_RESOURCE: hold.resource,
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

/** W1: the answer stops it, and waits for a renewal under way. */
function renewing(session: Session, run: Run, lost: (why: string) => void): () => Promise<void> {
  const { hold, resource, owner, actor, ttl_ms } = run
  // Its holder renews what was held before.
  if (hold.again) return () => Promise.resolve()
  const { token } = hold
  let good = Date.now()
  let last: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    last = session
      .run('lock.renew', { resource, token, ttl_ms, owner }, { actor, durability: 'relaxed' })
      .then((answer) => (answer.kind === 'refused' ? lost(answer.message) : void (good = Date.now())))
      .catch((error: unknown) => (Date.now() - good > ttl_ms ? lost(asError(error).message) : undefined))
  }, ttl_ms / 3)
  return async () => {
    clearInterval(timer)
    await last
  }
}

/** W2 */
function stop(child: ChildProcess): void {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  child.on('close', () => clearTimeout(timer))
}

/*
 * Commands with a wrapper beside each, so that their work is kept when this process dies.
 *
 *   start ──► work/<dir>/, wrapper (own session) ──► command ──► result
 *   find  ──► result? ─► claim? ─► wrapper alive? ─► what became of an attempt
 */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ProcessRef, Verdict } from '../../kernel/care/recovery.ts'
import { asError, EngineError, isError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import type { Ended, Found, Gone, Job, OnOutput, Worker } from '../../kernel/work/worker.ts'
import { evidence } from './evidence.ts'
import { ageOf, isAlive, mayLive, self } from './identity.ts'
import { list, signalAll, sweep } from './left.ts'
import { Tail } from './tail.ts'
import { Work, type Claim } from './work.ts'

const WRAPPER = fileURLToPath(new URL('./wrapper.sh', import.meta.url))
const BASH = '/bin/bash'
const POLL_MS = 40
/** A claim is written in one go; one that stays unreadable for so long belongs to a wrapper that died in between. */
const CLAIM_PATIENCE = 50

interface Attempt {
  readonly session: string
  readonly dir: string
  readonly runner: ProcessRef | null
  readonly onOutput?: OnOutput | undefined
}

interface Folder {
  readonly dir: string
  readonly empty: boolean
}

export interface Places {
  /** The `.steadfold` folder. */
  readonly root: string
  /** Where commands run. */
  readonly cwd: string
  /** The sessions are in a database: another address of it, or folder that names it, has another `root` on this machine. */
  readonly isOneOfMany?: boolean
}

export class ProcessWorkers {
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  /** Without its wrapper a command would be told as one that ended, though it never began. */
  static assertWhole(): void {
    if (fs.existsSync(WRAPPER)) return
    throw new EngineError('STORE_UNAVAILABLE', `commands need ${WRAPPER}, and it is not there`, {
      hint: 'leave the package steadfold out of your bundle, or copy its dist/wrapper.sh to that place',
    })
  }

  self(): ProcessRef {
    return self()
  }

  evidence(ref: ProcessRef): Verdict {
    return evidence(ref)
  }

  start(job: Job): Promise<Worker> {
    return Promise.resolve().then(() => this.#start(job))
  }

  #start(job: Job): Worker {
    const work = this.#work(job)
    furnish(work)
    if (job.within !== undefined) work.bind(job.within)
    const began = performance.now()
    const child = this.#spawn(job, work)
    const tail = new Tail(work, job.onOutput)
    const unfit = isError(child) ? unfitness(child, job.env) : undefined
    const over = isError(child)
      ? Promise.resolve(unfit ?? child.message)
      : new Promise<string>((resolve) => {
          child.once('exit', () => resolve('its wrapper ended without a result'))
          child.once('error', ({ message }) => resolve(message))
        })
    const process = isError(child) ? undefined : child
    const conclude = (reason: string) => this.#conclude(work, tail, reason, process?.pid)
    const left = new AbortController()
    return {
      pid: process?.pid ?? 0,
      spent: () => performance.now() - began,
      ended: over.then((reason) =>
        left.signal.aborted ? never() : { ...conclude(reason), ...(unfit === undefined ? {} : { unfit: true }) },
      ),
      stop: stopper(work, process?.pid),
      extend: (within) => work.extend(within),
      detach: () => {
        left.abort()
        process?.unref()
        tail.close()
      },
    }
  }

  /** A process that cannot be made is told like one that ended before it began. */
  #spawn({ command, env, stdin }: Job, work: Work): ChildProcess | Error {
    const [stdout, stderr] = [work.create('stdout'), work.create('stderr')]
    const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command
    const given = { ...process.env, ...env, STEADFOLD_OUTPUT: work.file('outputs') }
    const [shell, ...flags] = shellFor(given)
    try {
      return spawn(shell, [...flags, WRAPPER, work.folder, ...argv], {
        cwd: this.#places.cwd,
        env: given,
        detached: true,
        stdio: [stdin ?? 'ignore', stdout, stderr],
      })
    } catch (error) {
      return asError(error)
    } finally {
      for (const fd of [stdout, stderr]) fs.closeSync(fd)
    }
  }

  async find({ session, dir, runner, onOutput }: Attempt): Promise<Found> {
    const work = this.#work({ session, dir })
    const result = work.hasResult() ? work.result() : undefined
    const elsewhere = runner !== null && evidence(runner).kind === 'unknown'
    if (result !== undefined && !elsewhere) clear(work, result, pidIn(work.claim()))
    if (result !== undefined) return result
    if (elsewhere) return { kind: 'gone', begun: true, reasons: evidence(runner).reasons, written: work.written() }
    if (!fs.existsSync(work.folder)) return this.#conclude(work, new Tail(work, undefined), this.#missing())
    if (work.claim() === undefined && work.giveUp()) return { kind: 'never' }
    const claim = await settledClaim(work)
    if (claim === 'given up') return { kind: 'never' }
    if (typeof claim === 'object' && isAlive(claim.pid, claim.started))
      return { kind: 'alive', worker: this.#watch(work, claim, onOutput) }
    return this.#conclude(
      work,
      new Tail(work, undefined),
      typeof claim === 'object' ? `pid ${claim.pid} ended without a result` : 'its wrapper died as it began',
    )
  }

  prepare(session: string, dir: string): void {
    this.#work({ session, dir }).make()
  }

  folders(session: string): readonly Folder[] {
    const parent = path.dirname(this.#work({ session, dir: 'any' }).folder)
    return list(parent).map((dir) => ({ dir, empty: list(path.join(parent, dir)).length === 0 }))
  }

  discardEmpty(session: string, dir: string): void {
    try {
      fs.rmdirSync(this.#work({ session, dir }).folder)
    } catch {
      // Somebody began it meanwhile, or has cleared it away.
    }
  }

  discard(session: string, dir: string): void {
    this.#work({ session, dir }).discard()
  }

  /** Why the folder of an attempt is not there. */
  #missing(): string {
    if (this.#places.isOneOfMany !== true) return 'the folder of its attempt was taken away'
    return `begun under another address of this store, where what it wrote is kept, or its folder was taken away from ${this.#places.root}`
  }

  #work({ session, dir }: Pick<Job, 'session' | 'dir'>): Work {
    return new Work(this.#places.root, session, dir)
  }

  /** The wrapper is over: what it left, or what is known without it. `pid` is its own, where it was seen alive. */
  #conclude(work: Work, tail: Tail, reason: string, pid?: number): Ended | Gone {
    tail.close()
    const result = work.result()
    if (result !== undefined) clear(work, result, pid)
    if (result !== undefined) return result
    sweep(work, pid)
    if (isGivenUp(work)) return { kind: 'gone', begun: false, reasons: [reason] }
    return { kind: 'gone', begun: true, reasons: [reason], written: work.written() }
  }

  /** A worker that is no child of this process. */
  #watch(
    work: Work,
    { pid, started }: { readonly pid: number; readonly started: string },
    onOutput: OnOutput | undefined,
  ): Worker {
    const tail = new Tail(work, onOutput)
    const left = new AbortController()
    const ended = (async () => {
      while (!work.hasResult() && mayLive(pid, started) && !left.signal.aborted) await sleep(POLL_MS)
      if (left.signal.aborted) return never()
      return this.#conclude(work, tail, `pid ${pid} ended without a result`, pid)
    })()
    return {
      pid,
      spent: () => ageOf(started) ?? Date.now() - work.startedAt(),
      ended,
      stop: stopper(work, pid),
      extend: (within) => work.extend(within),
      detach: () => {
        left.abort()
        tail.close()
      },
    }
  }
}

/** A worker that was left to itself is concluded by whoever finds it: to conclude one is to end what still runs of it. */
const never = (): Promise<never> => new Promise(() => {})

/** Functions that bash exports, and tokens for npm, have names that other shells drop. With -p none of them is taken for its own. */
const shellFor = (env: Job['env'] | NodeJS.ProcessEnv): readonly [string, ...string[]] =>
  Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name)) || !fs.existsSync(BASH) ? ['/bin/sh'] : [BASH, '-p']

/** Why no process can be made of it, now or later; undefined where that may pass. */
function unfitness(error: Error, env: Job['env']): string | undefined {
  const code = errnoOf(error)
  const split = Object.keys(env).find((name) => env[name]?.includes('\0') === true)
  if (code === 'ERR_INVALID_ARG_VALUE' && split !== undefined)
    return `its variable ${split} holds a NUL, which no environment takes: hand it on in a file`
  if (code === 'E2BIG')
    return 'its command and environment are too long for the system (E2BIG): hand long values on in files'
  return undefined
}

/** Until something is in it, who clears up may take the folder away. */
function furnish(work: Work): void {
  work.make()
  let file: number
  try {
    file = work.create('outputs')
  } catch {
    work.make()
    file = work.create('outputs')
  }
  fs.closeSync(file)
  work.reserve()
}

function stopper(work: Work, pid: number | undefined): Worker['stop'] {
  return (signal, reason) => {
    if (pid === undefined) return
    work.noteStop(reason)
    signalAll(pid, signal)
  }
}

/** What a command has put into a session of its own outlives it, unless it was stopped. */
function clear(work: Work, { stopped }: Ended, wrapper: number | undefined): void {
  if (stopped !== null) sweep(work, wrapper)
  else if (wrapper !== undefined) sweep(work, wrapper, { inSession: true })
}

const pidIn = (claim: Claim): number | undefined => (typeof claim === 'object' ? claim.pid : undefined)

/** Nobody has begun it, and now nobody will. Its folder was made before it was promised: without it nothing is known. */
function isGivenUp(work: Work): boolean {
  if (!fs.existsSync(work.folder)) return false
  const claim = work.claim()
  return claim === 'given up' || (claim === undefined && work.giveUp())
}

async function settledClaim(work: Work): Promise<Claim> {
  for (let i = 0; i < CLAIM_PATIENCE && work.claim() === 'unreadable'; i++) await sleep(POLL_MS)
  return work.claim()
}

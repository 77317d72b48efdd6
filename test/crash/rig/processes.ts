import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from './history.ts'
import { program, programEnv } from './plan.ts'

export interface WriterOptions {
  readonly store: string
  readonly dir: string
  readonly id: string
  readonly history: History
  readonly env?: Readonly<Record<string, string>>
  /** What the program is started with, in front of `node`: `unshare …`, for one. */
  readonly wrap?: readonly string[]
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

export interface Writer {
  readonly pid: number
  /** How many appends were acknowledged so far. */
  acks(): number
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Exit>
  hasEnded(): boolean
}

export function startWriter(options: WriterOptions): Writer {
  const { store, dir, id, history, env = {}, wrap = [] } = options
  const [command = process.execPath, ...args] = wrap
  const own = [...args, ...(wrap.length === 0 ? [] : [process.execPath]), program('writer')]
  const child = spawn(command, own, {
    env: programEnv(store, { DIR: dir, WRITER_ID: id, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let acks = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    history.hear(line)
    if (line.startsWith('ACK ')) acks += 1
  })
  const ended = endOf(child)
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  return { pid: child.pid ?? 0, acks: () => acks, kill: (signal) => void child.kill(signal), ended, hasEnded }
}

function endOf(child: ChildProcess): Promise<Exit> {
  let stderr = ''
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()))
  return new Promise((settle) => child.on('close', (code, signal) => settle({ code, signal, stderr })))
}

/** Waits until `done` holds; throws after `ms`, saying for what it waited. */
export async function until(done: () => boolean, ms: number, what: string): Promise<void> {
  const end = Date.now() + ms
  while (!done()) {
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}`)
    await sleep(2)
  }
}

export interface Dump {
  readonly ids: readonly string[]
  /** Empty when the program ended with 0. */
  readonly failure: string
  readonly ms: number
}

/** Every id the store holds, read by a fresh process. */
export function dump(store: string, dir: string, env: Readonly<Record<string, string>> = {}): Dump {
  const started = performance.now()
  const run = runProgram('dump', store, { DIR: dir, ...env })
  const ids = run.stdout.split('\n').filter((line) => line !== '')
  const failure = run.status === 0 ? '' : `dump ended with ${run.status}: ${run.stderr.slice(0, 300)}`
  return { ids, failure, ms: performance.now() - started }
}

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export function runProgram(name: string, store: string, env: Readonly<Record<string, string>>, timeout = 60_000): Ran {
  const run = spawnSync(process.execPath, [program(name)], {
    env: programEnv(store, env),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    timeout,
  })
  return { status: run.status, stdout: run.stdout, stderr: run.stderr + (run.error?.message ?? '') }
}

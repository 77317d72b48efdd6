import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { has, shimSource } from './plan.ts'

/** Builds shim.c; undefined, loudly, where there is no C compiler. */
export const buildShim = (): string | undefined => compile(shimSource, ['-shared', '-fPIC'])

/** Builds a C file once per content of the file. */
export function compile(source: string, options: readonly string[] = []): string | undefined {
  if (process.platform !== 'linux' || !has('cc')) return undefined
  const sum = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const folder = path.join(tmpdir(), `steadfold-shim-${userInfo().uid}`)
  const built = path.join(folder, sum)
  if (existsSync(built)) return built
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const mine = `${built}.${process.pid}`
  execFileSync('cc', [...options, '-O1', '-Wall', '-Werror', '-o', mine, source, '-ldl'])
  renameSync(mine, built)
  return built
}

export interface Fault {
  /** Which files: a part of their path. */
  readonly path: string
  readonly op: 'write' | 'sync' | 'rename' | 'make'
  readonly act: 'EIO' | 'ENOSPC' | 'half' | 'lie' | 'stop' | 'stop-after'
  /** The first call it befalls, from 1. */
  readonly at?: number
  /** Instead: every n-th call. */
  readonly every?: number
  /** Where to log, and which files: a part of their path. */
  readonly log?: string
  readonly watch?: string
}

export function faultEnv(shim: string, fault: Fault): Readonly<Record<string, string>> {
  const { path: part, op, act, at = 1, every = 0, log, watch = part } = fault
  return {
    LD_PRELOAD: shim,
    SHIM_PATH: part,
    SHIM_OP: op,
    SHIM_DO: act,
    SHIM_AT: String(at),
    SHIM_EVERY: String(every),
    ...(log === undefined ? {} : { SHIM_LOG: log, SHIM_WATCH: watch }),
  }
}

export interface Clock {
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds to add to the time of every process that has `env`, from now on. */
  jump(ms: number): void
  /** Lets the time stand still at `ms` since 1970. */
  freeze(ms: number): void
}

export function bentClock(shim: string, folder: string): Clock {
  const file = path.join(folder, 'clock')
  const set = (add: number, still: number): void => {
    const bytes = Buffer.alloc(16)
    bytes.writeBigInt64LE(BigInt(add), 0)
    bytes.writeBigInt64LE(BigInt(still), 8)
    // In place: processes have the file mapped.
    writeFileSync(file, bytes, { flag: existsSync(file) ? 'r+' : 'w' })
  }
  set(0, 0)
  return { env: { LD_PRELOAD: shim, SHIM_CLOCK: file }, jump: (ms) => set(ms, 0), freeze: (ms) => set(0, ms) }
}

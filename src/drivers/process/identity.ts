/*
 * Telling a process apart from a later one with the same pid: host, boot, pid namespace, pid, start time.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessRef } from '../../kernel/care/recovery.ts'
import { assertSeen } from './plain.ts'

export interface Running {
  /** Start time: clock ticks since boot, or what `ps` says where there is no /proc. */
  readonly started: string
  /** Ended, and only waits for its parent to notice. */
  readonly zombie: boolean
}

type Place = Pick<ProcessRef, 'host' | 'machine' | 'boot_id' | 'pid_namespace'>

let place: Place | undefined

/** Where pids of this process count. */
export function here(): Place {
  place ??= {
    host: hostname(),
    ...machine(),
    boot_id: read('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
    pid_namespace: namespace(),
  }
  return place
}

export function self(): ProcessRef {
  return { ...here(), pid: process.pid, started: running(process.pid)?.started ?? '' }
}

/** Undefined when there is no such process. */
export function running(pid: number): Running | undefined {
  const fields = statOf(pid)
  if (fields !== undefined) return { started: fields[19] ?? '', zombie: isOver(fields) }
  return here().boot_id === '' ? askPs(pid) : undefined
}

export const isAlive = (pid: number, started: string): boolean => {
  const process = running(pid)
  return process !== undefined && !process.zombie && (started === '-' || process.started === started)
}

/** P2 of plain.ts: also one that cannot be looked at now. */
export function mayLive(pid: number, started: string): boolean {
  try {
    return isAlive(pid, started)
  } catch {
    return true
  }
}

/** `/proc` counts in hundredths of a second. */
const TICK_MS = 10

/** Milliseconds since a process of this boot began, by a clock that nobody sets; undefined where that cannot be told. */
export function ageOf(started: string): number | undefined {
  const own = running(process.pid)?.started ?? ''
  if (!/^\d+$/.test(own) || !/^\d+$/.test(started)) return undefined
  return Math.max(0, (Number(own) - Number(started)) * TICK_MS + process.uptime() * 1000)
}

/**
 * Pids of processes whose environment holds `entry`, and of those in `session` that show none: for a moment of its start a
 * program does not. Empty where that cannot be asked.
 */
export function withEnvironment(pids: readonly number[], entry: string, session?: number): readonly number[] {
  return pids.filter((pid) => {
    const environment = read(`/proc/${pid}/environ`)
    return environment === '' ? session !== undefined && isIn(session, pid) : environment?.split('\0').includes(entry)
  })
}

export function isIn(session: number, pid: number): boolean {
  const fields = statOf(pid) ?? []
  return fields[3] === String(session) && !isOver(fields)
}

/** Process groups of a session, of these pids. */
export const groupsIn = (session: number, pids: readonly number[]): ReadonlySet<number> =>
  new Set(pids.filter((pid) => isIn(session, pid)).map((pid) => Number(statOf(pid)?.[2] ?? session)))

/** Undefined when there is no such process; from its state on, behind the name, which may hold anything. */
export function statOf(pid: number): readonly string[] | undefined {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const isOver = ([state]: readonly string[]): boolean => state === 'Z' || state === 'X'

/** In one zone and language: whoever asks later may have others, and would take it for another process. */
function askPs(pid: number): Running | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return line === '' ? undefined : { started: line.slice(line.indexOf(' ') + 1).trim(), zombie: line.startsWith('Z') }
  } catch {
    return undefined
  }
}

export function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    assertSeen(error, file)
    return undefined
  }
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Its id is nobody else's business: a hash of it tells machines apart as well (machine-id(5)). */
function machine(): Pick<Place, 'machine'> {
  const id = read('/etc/machine-id')?.trim() ?? ''
  if (!/^[0-9a-f]{32}$/.test(id)) return {}
  return { machine: createHash('sha256').update(`steadfold ${id}`).digest('hex').slice(0, 16) }
}

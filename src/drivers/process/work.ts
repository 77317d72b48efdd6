/*
 * The folder of one attempt: sessions/<id>/work/<dir>/
 *
 *   claim     "pid start-time" of the wrapper, or "none" when a runner gave the attempt up
 *   outputs   STEADFOLD_OUTPUT          stdout, stderr   what the command wrote
 *   stopped   why it was told to stop   result           exit status, when it ended; result.tmp before, to have room for it
 *   until     seconds since 1970 at which it is stopped, where other hosts take over what this one lets go
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf, systemError, type Said } from '../../kernel/system-error.ts'
import type { Ended, StopReason, Text, Written } from '../../kernel/work/worker.ts'
import { readEnd, readShort, type Fault } from './plain.ts'

const PRIVATE = { folder: 0o700, file: 0o600 }
const GIVEN_UP = 'none'
/** Of each stream this much of its end is kept. */
const KEPT_BYTES = 16 * 1024 * 1024
const OUTPUTS_BYTES = 4 * 1024 * 1024
const TOO_LARGE =
  'the file STEADFOLD_OUTPUT is too large: at most 4 MiB are taken; leave more in a file, and name it as an artifact'
const NOT_TEXT = 'the file STEADFOLD_OUTPUT is not UTF-8 text: hand in such bytes as base64'
const KILLED = 137
const CENTURY_MS = 100 * 365 * 86_400_000

export type Claim = { readonly pid: number; readonly started: string } | 'given up' | 'unreadable' | undefined

export class Work {
  readonly folder: string

  constructor(root: string, session: string, dir: string) {
    for (const name of [session, dir])
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
        throw new EngineError('NAME_INVALID', `"${name.slice(0, 80)}" is no folder of an attempt`)
    this.folder = path.join(root, 'sessions', session, 'work', dir)
  }

  file(name: 'claim' | 'outputs' | 'stdout' | 'stderr' | 'stopped' | 'result' | 'result.tmp' | 'until'): string {
    return path.join(this.folder, name)
  }

  make(): void {
    try {
      this.#make()
    } catch (error) {
      throw asFailure(error, `cannot make ${this.folder}`)
    }
  }

  #make(): void {
    const parent = path.dirname(this.folder)
    makeFolder(parent)
    if (!fs.lstatSync(parent).isDirectory())
      throw new EngineError('WORKSPACE_UNSAFE', `${parent} is not a folder`, { hint: 'remove it' })
    makeFolder(this.folder)
  }

  create(name: 'outputs' | 'stdout' | 'stderr'): number {
    const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = fs.constants
    try {
      return fs.openSync(this.file(name), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, PRIVATE.file)
    } catch (error) {
      throw asFailure(error, `cannot make ${this.file(name)}`)
    }
  }

  /** Room for the result, which the wrapper writes in its place. */
  reserve(): void {
    try {
      fs.writeFileSync(this.file('result.tmp'), '   \n', { mode: PRIVATE.file })
    } catch (error) {
      throw asFailure(error, `cannot make ${this.file('result.tmp')}`)
    }
  }

  /** A1: false when a wrapper owns the attempt. */
  giveUp(): boolean {
    this.make()
    let claim: number
    try {
      claim = fs.openSync(this.file('claim'), 'wx', PRIVATE.file)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw asFailure(error, `cannot make ${this.file('claim')}`)
    }
    try {
      fs.writeFileSync(claim, `${GIVEN_UP}\n`)
      return true
    } catch (error) {
      // Made here, and without a word: nobody would know whose it is.
      fs.rmSync(this.file('claim'), { force: true })
      throw asFailure(error, `cannot write ${this.file('claim')}`)
    } finally {
      fs.closeSync(claim)
    }
  }

  claim(): Claim {
    const text = readShort(this.file('claim'))
    if (text === undefined) return undefined
    if (text === `${GIVEN_UP}\n`) return 'given up'
    const [, pid, started = '-'] = /^(\d+) (\S+)\n$/.exec(text) ?? []
    return pid === undefined ? 'unreadable' : { pid: Number(pid), started }
  }

  noteStop(reason: StopReason): void {
    // A courtesy to whoever takes over; the first reason stays.
    try {
      fs.writeFileSync(this.file('stopped'), `${reason}\n`, { flag: 'wx', mode: PRIVATE.file })
    } catch {}
  }

  /** Renamed into place: the wrapper never reads half of it. */
  bind(within: number): void {
    const next = `${this.file('until')}.next`
    fs.writeFileSync(next, `${Math.floor((Date.now() + within) / 1000)}\n`, { mode: PRIVATE.file })
    fs.renameSync(next, this.file('until'))
  }

  /** What is not bound, or over, stays so. */
  extend(within: number | 'for good'): void {
    if (!fs.existsSync(this.file('until'))) return
    try {
      this.bind(within === 'for good' ? CENTURY_MS : within)
    } catch {
      // Then it is stopped early, never late.
    }
  }

  hasResult(): boolean {
    return fs.existsSync(this.file('result'))
  }

  /** Milliseconds since 1970. */
  startedAt(): number {
    return modified(this.file('claim')) ?? Date.now()
  }

  /** Undefined when the worker left none. */
  result(): Ended | undefined {
    const exit = /^(\d{1,3})\n$/.exec(readShort(this.file('result')) ?? '')?.[1]
    const stopped = /^(timeout|interrupted)\n$/.exec(readShort(this.file('stopped')) ?? '')?.[1]
    if (exit === undefined && stopped === undefined) return undefined
    const over = modified(this.file('result')) ?? Date.now()
    return {
      ...this.written(),
      kind: 'ended',
      exit: exit === undefined ? KILLED : Number(exit),
      // Stopped before its claim, it took no time.
      duration_ms: Math.max(0, Math.round(over - (modified(this.file('claim')) ?? over))),
      stopped: stopped === 'timeout' || stopped === 'interrupted' ? stopped : null,
    }
  }

  written(): Written {
    const outputs = readEnd(this.file('outputs'), OUTPUTS_BYTES)
    const stdout = readEnd(this.file('stdout'), KEPT_BYTES)
    const stderr = readEnd(this.file('stderr'), KEPT_BYTES)
    const text = 'fault' in outputs || outputs.truncated ? '' : asText(outputs.bytes)
    return {
      outputs: text ?? '',
      stdout: 'fault' in stdout ? NOTHING : stdout,
      stderr: 'fault' in stderr ? NOTHING : stderr,
      fault: faultOf({ outputs, stdout, stderr }) ?? (text === undefined ? NOT_TEXT : null),
    }
  }

  discard(): void {
    try {
      fs.rmSync(this.folder, { recursive: true, force: true })
    } catch {
      // The command closed a folder in it; nobody looks into what stays.
    }
  }
}

const NOTHING: Text = { bytes: new Uint8Array(), truncated: false }

/** Undefined where other bytes would come back. */
function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Outputs are taken whole or not at all; of what it wrote elsewhere the end is enough. */
function faultOf(files: Readonly<Record<'outputs' | 'stdout' | 'stderr', Text | Fault>>): string | null {
  for (const [name, file] of Object.entries(files)) {
    const shown = name === 'outputs' ? 'STEADFOLD_OUTPUT' : name
    if ('fault' in file) return `the file ${shown} ${file.fault}: the command put it there`
    if (name === 'outputs' && file.truncated) return TOO_LARGE
  }
  return null
}

/** Those above it are there, but where a database keeps the session. With several, Node says ENOENT of a file system that is read-only. */
function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, PRIVATE.folder)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT') fs.mkdirSync(folder, { recursive: true, mode: PRIVATE.folder })
    else if (errno !== 'EEXIST') throw error
  }
}

const SAID: Said = {
  ENOSPC: ['DISK_FULL', 'free some space, then run again'],
  EDQUOT: ['DISK_FULL', 'your disk quota is used up; free some space, then run again'],
  EROFS: ['READ_ONLY', 'the file system is mounted read-only'],
  EACCES: ['READ_ONLY', 'check the owner and mode of the workspace folder'],
  EPERM: ['READ_ONLY', 'check the owner and mode of the workspace folder'],
  EMFILE: ['STORE_UNAVAILABLE', 'too many open files: raise ulimit -n'],
}

const asFailure = (error: unknown, doing: string): EngineError => systemError(error, doing, SAID)

function modified(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

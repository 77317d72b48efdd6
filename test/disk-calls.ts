/*
 * What code changes on the disk, in order, and what a power cut could take of it. The functions of `node:fs` that drivers
 * use are watched, so that both the sources and what they call are seen.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

export interface DiskCall {
  readonly kind: 'write' | 'sync' | 'make' | 'move' | 'remove'
  readonly file: string
  readonly to?: string
}

const real = { ...fs }
const WATCHED = ['openSync', 'writeSync', 'writeFileSync', 'fsyncSync', 'fdatasyncSync', 'mkdirSync'] as const
const NAMES = ['renameSync', 'linkSync', 'rmSync'] as const

/** Everything that `task` did. */
export async function diskCalls(task: () => unknown): Promise<readonly DiskCall[]> {
  const calls: DiskCall[] = []
  const files = new Map<number, string>()
  watch(calls, files)
  try {
    await task()
    return calls
  } finally {
    for (const name of [...WATCHED, ...NAMES]) Object.assign(fs, { [name]: real[name] })
    syncBuiltinESMExports()
  }
}

function watch(calls: DiskCall[], files: Map<number, string>): void {
  const made = (file: fs.PathLike) => calls.push({ kind: 'make', file: String(file) })
  const of = (file: fs.PathOrFileDescriptor) => (typeof file === 'number' ? (files.get(file) ?? '?') : String(file))
  fs.openSync = (file, ...rest) => {
    const isNew = !real.existsSync(file)
    const fd = real.openSync(file, ...rest)
    if (isNew) made(file)
    files.set(fd, String(file))
    return fd
  }
  fs.writeSync = ((fd: number, ...rest: [string]) => {
    calls.push({ kind: 'write', file: of(fd) })
    return real.writeSync(fd, ...rest)
  }) as typeof fs.writeSync
  fs.writeFileSync = (file, data, options) => {
    if (typeof file !== 'number' && !real.existsSync(of(file))) made(of(file))
    calls.push({ kind: 'write', file: of(file) })
    real.writeFileSync(file, data, options)
    const isFlushed = typeof options === 'object' && options !== null && 'flush' in options && options.flush === true
    if (isFlushed) calls.push({ kind: 'sync', file: of(file) })
  }
  for (const name of ['fsyncSync', 'fdatasyncSync'] as const)
    fs[name] = (fd) => {
      real[name](fd)
      calls.push({ kind: 'sync', file: of(fd) })
    }
  fs.mkdirSync = ((folder: string, options: fs.Mode) => {
    const done = real.mkdirSync(folder, options)
    made(folder)
    return done
  }) as typeof fs.mkdirSync
  watchNames(calls)
  syncBuiltinESMExports()
}

function watchNames(calls: DiskCall[]): void {
  fs.renameSync = (from, to) => {
    real.renameSync(from, to)
    calls.push({ kind: 'move', file: String(from), to: String(to) })
  }
  fs.linkSync = (from, to) => {
    real.linkSync(from, to)
    calls.push({ kind: 'move', file: String(from), to: String(to) })
  }
  fs.rmSync = (file, options) => {
    const isThere = real.existsSync(file)
    real.rmSync(file, options)
    if (isThere) calls.push({ kind: 'remove', file: String(file) })
  }
}

const isTemporary = (file: string): boolean => path.basename(file).endsWith('.tmp')

/**
 * What a power cut could undo, or leave half: bytes that get their name before they are synced, and names, made, moved or
 * removed, whose folder is not synced afterwards. Temporary names may come and go.
 */
export function looseEnds(calls: readonly DiskCall[]): readonly string[] {
  const isSynced = (file: string, from: number, to = calls.length) =>
    calls.slice(from, to).some((call) => call.kind === 'sync' && call.file === file)
  return calls.flatMap(({ kind, file, to }, at) => {
    const named = (name: string) =>
      isTemporary(name) || isSynced(path.dirname(name), at) ? [] : [`${kind} ${name}: its folder is not synced`]
    if (kind === 'make' || kind === 'remove') return named(file)
    if (kind !== 'move' || to === undefined) return []
    const written = calls.findLastIndex((call, before) => before < at && call.kind === 'write' && call.file === file)
    const isWhole = written < 0 || isSynced(file, written, at)
    return [...(isWhole ? [] : [`${to} is named before its bytes are synced`]), ...named(file), ...named(to)]
  })
}

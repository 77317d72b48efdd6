/*
 * Several writers of a files store on a disk that can lose power, for whatever is tested of redo files. Their program is loaded on
 * use, which takes time: here it is there.
 */
import builtin, * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { FilesLog } from '../src/drivers/files/files.ts'
import '../src/drivers/files/redo-file.ts'
import { Chain, START } from '../src/kernel/log/chain.ts'
import { scanLog } from '../src/kernel/log/replay.ts'
import type { AppendOptions } from '../src/kernel/ports.ts'
import { filesLog, line, sha256, temporaryFolder, together } from './conformance/kit.ts'
import { allLost, type Fate, SyncedDisk } from './synced-disk.ts'

let root: string
let disk: SyncedDisk
let open: FilesLog[] = []

export async function begin(): Promise<void> {
  const made = await filesLog()
  root = made.root
  open.push(made.log)
  disk = new SyncedDisk(root)
}

export async function end(): Promise<void> {
  for (const log of open) await log.close()
  open = []
  disk.restore()
}

/** For each test of the file that calls it. */
export function onSyncedDisk(): void {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
    await begin()
  })
  afterEach(async () => {
    await end()
    vi.useRealTimers()
  })
}

export const syncs = (): readonly string[] => disk.syncs

/** Puts `other` in the place of a function of `node:fs` while `task` runs. */
export async function instead<Name extends keyof typeof fs>(
  name: Name,
  other: (was: (typeof fs)[Name]) => (typeof fs)[Name],
  task: () => Promise<unknown>,
): Promise<void> {
  const was = builtin[name]
  Object.assign(builtin, { [name]: other(was) })
  syncBuiltinESMExports()
  try {
    await task()
  } finally {
    Object.assign(builtin, { [name]: was })
    syncBuiltinESMExports()
  }
}

export const failing = (code: string, syscall: string): Error => Object.assign(new Error(code), { code, syscall })

/** Somebody who writes to session `s`, as a process of its own would. */
export class Writer {
  readonly log: FilesLog
  readonly chain = new Chain(START, sha256)
  readonly acknowledged: string[] = []

  constructor(log: FilesLog) {
    this.log = log
  }

  async append(value: unknown, options: Partial<AppendOptions> = {}, op?: string): Promise<void> {
    for await (const _ of scanLog(this.log, 's', this.chain)) continue
    const next = line(this.chain.position.seq + 1, this.chain.position.hash, value, op)
    const done = await this.log.append('s', together(next), this.chain.position, { durability: 'durable', ...options })
    if (done.kind === 'conflict') return this.append(value, options, op)
    await done.durable
    this.chain.position = done.position
    if (options.durability !== 'relaxed') this.acknowledged.push(next.hash)
  }

  async many(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.append(i)
      // A redo file is ready some turns of the event loop after it was made.
      await new Promise(setImmediate)
    }
  }
}

/** Who writes to the log in that folder. */
export function another(folder = root): Writer {
  const log = new FilesLog(folder, sha256)
  open.push(log)
  return new Writer(log)
}

export const segment = (of = root, begins = 1): string =>
  path.join(of, 'sessions/s/log', `${String(begins).padStart(20, '0')}.jsonl`)
export const redoIn = (of = root): string => path.join(of, 'sessions/s/redo')
export const redoFiles = (of = root): readonly string[] => (fs.existsSync(redoIn(of)) ? fs.readdirSync(redoIn(of)) : [])

/** Of the folder as a power cut leaves it. */
export function cut(fate: Fate = allLost): string {
  const to = temporaryFolder()
  disk.cut(to, fate)
  return to
}

interface Read {
  readonly hashes: readonly string[]
  readonly damage: unknown
}

/** From its beginning. */
export async function readOf(log: FilesLog): Promise<Read> {
  const chain = new Chain(START, sha256)
  const hashes: string[] = []
  for await (const _ of scanLog(log, 's', chain, ({ hash }) => hashes.push(hash))) continue
  return { hashes, damage: chain.damage }
}

/** By whoever opens it there. */
export async function readIn(folder: string): Promise<Read> {
  const log = new FilesLog(folder, sha256)
  const read = await readOf(log)
  await log.close()
  return read
}

/** With a redo file, and ten commits that stand in it alone. */
export async function copying(): Promise<Writer> {
  const writer = another()
  await writer.many(50)
  expect(redoFiles().length).toBe(1)
  return writer
}

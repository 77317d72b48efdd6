/*
 * A disk that can lose power: of each file below a folder it keeps what was synced last, and makes a copy of the folder as a
 * power cut may leave it. The functions of `node:fs` are watched; that something is really synced is for other tests.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

const real = { ...fs }
interface Looked {
  readonly bytes: Buffer
  /** Counts what was looked at: of two syncs at once the later look is what stands there. */
  readonly at: number
}

/** What is left of a file, from what was synced of it and what stands in it. */
export type Fate = (synced: Buffer, live: Buffer) => Buffer

export class SyncedDisk {
  readonly #root: string
  #looks = 0
  readonly #synced = new Map<string, Looked>()
  /** The files of which something was synced, in order. */
  readonly syncs: string[] = []

  constructor(root: string) {
    this.#root = root
    const now = (fd: number) => this.#note(fd, this.#looked(fd))
    fs.fdatasyncSync = now
    fs.fsyncSync = now
    const later = (fd: number, done: fs.NoParamCallback): void => {
      const looked = this.#looked(fd)
      setImmediate(() => {
        this.#note(fd, looked)
        done(null)
      })
    }
    fs.fdatasync = later as typeof fs.fdatasync
    fs.fsync = later as typeof fs.fsync
    syncBuiltinESMExports()
  }

  #looked(fd: number): Looked | undefined {
    const file = real.readlinkSync(`/proc/self/fd/${fd}`)
    const isHere = file.startsWith(this.#root) && real.existsSync(file) && real.fstatSync(fd).isFile()
    return isHere ? { bytes: real.readFileSync(file), at: this.#looks++ } : undefined
  }

  #note(fd: number, looked: Looked | undefined): void {
    if (looked === undefined) return
    const file = identity(real.fstatSync(fd))
    this.syncs.push(real.readlinkSync(`/proc/self/fd/${fd}`))
    if ((this.#synced.get(file)?.at ?? -1) < looked.at) this.#synced.set(file, looked)
  }

  /** Names are as they are now. */
  cut(to: string, fate: Fate): void {
    for (const name of real.readdirSync(this.#root, { recursive: true, encoding: 'utf8' })) {
      const [file, copy] = [path.join(this.#root, name), path.join(to, name)]
      const stat = real.lstatSync(file)
      if (stat.isDirectory()) real.mkdirSync(copy, { recursive: true, mode: 0o700 })
      else
        real.writeFileSync(
          copy,
          fate(this.#synced.get(identity(stat))?.bytes ?? Buffer.alloc(0), real.readFileSync(file)),
        )
    }
  }

  restore(): void {
    const { fdatasyncSync, fsyncSync, fdatasync, fsync } = real
    Object.assign(fs, { fdatasyncSync, fsyncSync, fdatasync, fsync })
    syncBuiltinESMExports()
  }
}

/** The number alone may be that of a file that is gone. */
const identity = ({ ino, birthtimeMs }: fs.Stats): string => `${ino} ${birthtimeMs}`

/** Nothing that was not synced is there. */
export const allLost: Fate = (synced) => synced

/** Of what was not synced some blocks are there and others are not; where the file has grown, they are NUL. */
export function someLost(random: () => number, block = 512): Fate {
  return (synced, live) => {
    const size = random() < 0.3 ? Math.max(synced.length, Math.floor(random() * live.length)) : live.length
    const left = Buffer.alloc(size)
    for (let at = 0; at < size; at += block) {
      const from = random() < 0.5 ? synced : live
      left.set(from.subarray(at, Math.min(at + block, size)), at)
    }
    return left
  }
}

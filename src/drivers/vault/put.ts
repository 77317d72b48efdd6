import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../kernel/system-error.ts'
import { asFailure } from './failure.ts'
import { syncFolder } from './folders.ts'

/**
 * Bytes under a temporary name, synced, then linked: there whole or not at all. False when it was to be new, and the name is
 * taken. The folder is ours.
 */
export function put(file: string, chunks: Iterable<Uint8Array>, how: 'new' | 'replace' = 'new'): boolean {
  sweep(path.dirname(file))
  const pending = new Pending(file)
  try {
    for (const chunk of chunks) pending.write(chunk)
    return pending.place(how)
  } finally {
    pending.drop()
  }
}

/** A file that is being written, private, and has not got its name yet. What the disk says against it is told as our own errors. */
export class Pending {
  readonly #file: string
  readonly #temporary: string
  readonly #fd: number

  constructor(file: string) {
    this.#file = file
    this.#temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(8).toString('hex')}.tmp`)
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants
    const open = () => fs.openSync(this.#temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    this.#fd = this.#doing(open)
  }

  write(chunk: Uint8Array): void {
    this.#doing(() => {
      for (let done = 0; done < chunk.length;) done += fs.writeSync(this.#fd, chunk, done)
    })
  }

  /** False when it was to be new, and the name is taken. `free` is new also where a disk knows no links, as many sticks. */
  place(how: 'new' | 'free' | 'replace'): boolean {
    return this.#doing(() => {
      fs.fsyncSync(this.#fd)
      if (how === 'replace') fs.renameSync(this.#temporary, this.#file)
      else if (!(how === 'free' ? movedTo : linked)(this.#temporary, this.#file)) return false
      syncFolder(path.dirname(this.#file))
      return true
    })
  }

  drop(): void {
    fs.closeSync(this.#fd)
    fs.rmSync(this.#temporary, { force: true })
  }

  #doing<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw asFailure(error, `cannot write ${this.#file}`)
    }
  }
}

const DAY_MS = 24 * 3_600_000
const TEMPORARY = /^\.(.+)\.[0-9a-f]{16}\.tmp$/

/**
 * Takes away what writers that were killed have left in a folder: all of it, or what was to become `file`. They may be of
 * another machine, whose clock, or that of the disk, is off by less than a day. What cannot be taken away stays.
 */
export function sweep(folder: string, file?: string): void {
  try {
    for (const name of fs.readdirSync(folder)) {
      const [, meant] = TEMPORARY.exec(name) ?? []
      const left = path.join(folder, name)
      if (meant === undefined || (file !== undefined && meant !== file)) continue
      if (Date.now() - fs.lstatSync(left).mtimeMs > DAY_MS) fs.rmSync(left)
    }
  } catch {
    // Whoever writes there is told what stands against it.
  }
}

const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Of two at the same moment both may believe it was free: where that counts, links are asked for. */
function movedTo(from: string, to: string): boolean {
  try {
    return linked(from, to)
  } catch (error) {
    if (!NO_LINKS.has(errnoOf(error))) throw error
    if (fs.lstatSync(to, { throwIfNoEntry: false }) !== undefined) return false
    fs.renameSync(from, to)
    return true
  }
}

function linked(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

/*
 * Files of a project by their content.
 *
 * H1. Paths are relative to the project and use slashes, so that a key is the same on every machine.
 * H2. A pattern passes over .git, .steadfold and node_modules, unless it names them.
 * H3. Links are not followed by patterns; a plain path may be one.
 * H4. A pattern means also the file, or the folder, that is called so: names such as `[id].ts` are in use.
 * H5. What cannot be read, a file or a folder, is told: taken for empty it would be another input, and its step paid again.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { fixedPart, isPattern, toRegExp } from './pattern.ts'

const PASSED_OVER: ReadonlySet<string> = new Set(['.git', '.steadfold', 'node_modules'])
const CHUNK = 1024 * 1024

interface Hashed {
  readonly sha256: string
  readonly bytes: number
}

export interface FileHash extends Hashed {
  readonly path: string
}

export class ProjectFolder {
  readonly #root: string
  /** Of files that have not changed since: size, time and inode -> hash. */
  readonly #known = new Map<string, { readonly stamp: string; readonly hashed: Hashed }>()

  constructor(root: string) {
    this.#root = root
  }

  async hashes(patterns: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    const { found, missing } = await this.artifacts(patterns)
    const plain = missing.filter((pattern) => !isPattern(pattern))
    return Object.fromEntries([...found.map((file) => [file.path, file.sha256]), ...plain.map((name) => [name, null])])
  }

  /** What the patterns stand for, sorted; a folder stands for all files below it. */
  async artifacts(
    patterns: readonly string[],
  ): Promise<{ readonly found: readonly FileHash[]; readonly missing: readonly string[] }> {
    const files = new Set<string>()
    const missing: string[] = []
    for (const pattern of patterns) {
      const matched = await this.#match(pattern)
      if (matched.length === 0) missing.push(pattern)
      for (const file of matched) files.add(file)
    }
    const found = [...files].toSorted().flatMap((file) => {
      const hashed = this.#hash(file)
      return hashed === undefined ? [] : [{ path: file, ...hashed }]
    })
    return { found, missing }
  }

  async read(file: string, mostBytes: number): Promise<Uint8Array | undefined> {
    const place = path.join(this.#root, this.#inside(file))
    try {
      const stat = fs.statSync(place, { throwIfNoEntry: false })
      return stat?.isFile() === true && stat.size <= mostBytes ? await readFile(place) : undefined
    } catch (error) {
      throw unreadable(file, error)
    }
  }

  async #match(pattern: string): Promise<readonly string[]> {
    const normal = this.#inside(pattern)
    if (!isPattern(normal)) {
      const stat = this.#stat(normal)
      if (stat?.isFile() === true) return [normal]
      return stat?.isDirectory() === true ? this.#below(normal, new Set(PASSED_OVER)) : []
    }
    const named = new Set(normal.split('/'))
    const files = await this.#below(fixedPart(normal), new Set([...PASSED_OVER].filter((name) => !named.has(name))))
    const matches = toRegExp(normal)
    return files.filter((file) => matches.test(file) || file === normal || file.startsWith(`${normal}/`))
  }

  async #below(folder: string, passedOver: ReadonlySet<string>): Promise<readonly string[]> {
    const files: string[] = []
    const open = [folder]
    for (const each of open) {
      for (const entry of await this.#entries(each)) {
        const name = each === '' ? entry.name : `${each}/${entry.name}`
        if (entry.isFile()) files.push(name)
        else if (entry.isDirectory() && !passedOver.has(entry.name)) open.push(name)
      }
    }
    return files
  }

  /** H5 */
  async #entries(folder: string): Promise<readonly fs.Dirent[]> {
    try {
      return await readdir(path.join(this.#root, folder), { withFileTypes: true })
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
      throw unreadable(folder, error)
    }
  }

  #inside(pattern: string): string {
    const normal = path.posix.normalize(pattern.replaceAll(path.sep, '/')).replace(/^\.\/|\/$/g, '')
    if (!path.isAbsolute(normal) && normal !== '..' && !normal.startsWith('../')) return normal === '.' ? '' : normal
    throw new EngineError('WORKFLOW_INVALID', `"${pattern}" is not inside the project ${this.#root}`, {
      hint: 'name files relative to the folder that holds .steadfold',
    })
  }

  #stat(file: string): fs.BigIntStats | undefined {
    try {
      return fs.statSync(path.join(this.#root, file), { throwIfNoEntry: false, bigint: true })
    } catch (error) {
      throw unreadable(file, error)
    }
  }

  #hash(file: string): Hashed | undefined {
    const place = path.join(this.#root, file)
    const stat = this.#stat(file)
    if (stat === undefined) return undefined
    const stamp = `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`
    const known = this.#known.get(file)
    if (known?.stamp === stamp) return known.hashed
    const hashed = hashFile(file, place)
    this.#known.set(file, { stamp, hashed })
    return hashed
  }
}

function hashFile(file: string, place: string): Hashed {
  const hash = createHash('sha256')
  try {
    const fd = fs.openSync(place, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    try {
      const buffer = Buffer.alloc(CHUNK)
      let bytes = 0
      for (let read = fs.readSync(fd, buffer); read > 0; read = fs.readSync(fd, buffer)) {
        hash.update(buffer.subarray(0, read))
        bytes += read
      }
      return { sha256: hash.digest('hex'), bytes }
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

const unreadable = (file: string, error: unknown): EngineError =>
  new EngineError('FILE_UNREADABLE', `"${file}" cannot be read (${codeOf(error)})`, {
    hint: 'see who may read it, or name inputs that leave it out; then run again',
    cause: error,
  })

const codeOf = (error: unknown): string => errnoOf(error) ?? String(error)

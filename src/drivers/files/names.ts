import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Host, NameClaim, NameStore } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { isRealFolder, namesIn, PRIVATE_FILE, PRIVATE_FOLDER, readFile, temporaryName } from './durable.ts'
import { asFailure } from './failure.ts'
import type { Layout } from './layout.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants

/**
 * `names/<name>/<generation>` holds the id of a session. The highest counts; the next is made by whoever is first.
 * `names/.known-<boot>` lists sessions that were claimed for. Claims are not synced, so a power cut may take some; after it
 * the machine has another boot id, and nothing is taken as known.
 */
export function fileNames(layout: Layout, sha256: Host['sha256']): NameStore {
  const folderOf = (name: string) => path.join(layout.root, 'names', keyOf(name, sha256))
  const known = new KnownSessions(path.join(layout.root, 'names'))
  return {
    unknown: async (ids) => known.others(ids),
    vouch: async (id) => known.add(id),
    holder: async (name) => (isRealFolder(path.join(layout.root, 'names')) ? latest(folderOf(name)) : undefined),
    claim: async (name, id, after) => {
      const folder = folderOf(name)
      try {
        for (const each of [path.dirname(folder), folder]) if (!isRealFolder(each)) make(each)
        const isFirst = put(folder, after + 1, id)
        if (isFirst && id !== '') known.add(id)
        return isFirst
      } catch (error) {
        throw asFailure(error, `cannot claim the name ${JSON.stringify(name)}`)
      }
    },
  }
}

class KnownSessions {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Undefined where nobody can tell whether the machine was started again. */
  get #file(): string | undefined {
    const boot = bootId()
    return boot === undefined ? undefined : path.join(this.#folder, `.known-${boot}`)
  }

  others(ids: readonly string[]): readonly string[] {
    const file = isRealFolder(this.#folder) ? this.#file : undefined
    const bytes = file === undefined ? undefined : readFile(file)
    const known = new Set(bytes?.toString('utf8').split('\n'))
    return ids.filter((id) => !known.has(id))
  }

  /** Lines are short enough to be written whole; one that is not names no session. */
  add(id: string): void {
    const file = this.#file
    if (file === undefined) return
    const fd = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, PRIVATE_FILE)
    try {
      fs.writeSync(fd, `\n${id}\n`)
    } finally {
      fs.closeSync(fd)
    }
  }
}

function bootId(): string | undefined {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Other than `.` and `..` whatever the name is; unusual ones go by their hash. */
const keyOf = (name: string, sha256: Host['sha256']): string =>
  /^[\w.-]{1,200}$/.test(name) ? `n-${name}` : `h-${sha256(name)}`

function make(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
}

const generations = (folder: string): readonly number[] =>
  isRealFolder(folder)
    ? namesIn(folder)
        .filter((name) => /^\d{1,15}$/.test(name))
        .map(Number)
    : []

function latest(folder: string): NameClaim | undefined {
  for (;;) {
    const generation = Math.max(0, ...generations(folder))
    if (generation === 0) return undefined
    const id = readFile(path.join(folder, String(generation)))?.toString('utf8')
    // A later one was put before this one was cleared away.
    if (id !== undefined) return { id, generation }
  }
}

/** Whole before it has its name, and only if nobody else has put that generation. What it replaces is cleared away. */
function put(folder: string, generation: number, id: string): boolean {
  const file = path.join(folder, String(generation))
  const temporary = temporaryName(file)
  fs.writeFileSync(temporary, id, { mode: PRIVATE_FILE, flag: 'wx' })
  try {
    fs.linkSync(temporary, file)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(temporary, { force: true })
  }
  const others = generations(folder).filter((each) => each !== generation)
  const late = others.some((each) => each > generation)
  // One that was cleared away could be put again by somebody who looked before.
  for (const old of late ? [generation] : others) fs.rmSync(path.join(folder, String(old)), { force: true })
  return !late
}

/*
 * Facts that were handed in and wait for their commit.
 *
 *   shell ──► spool/<name>.fact ──► take: commit ──► spool/taken/ ──► deleted later
 *                             └──► spool/rejected/   malformed, or refused by a rule
 *
 * S1. A fact leaves the spool only after its commit is durable. Its key is its file name, so that one taken twice adds
 *     nothing (L7).
 * S2. Facts of one process are in the order of their names. Others are in the order of their times, and of their names
 *     where the times are the same: a subshell's name stands where the subshell was started.
 * S3. An unfinished fact is left alone: its writer may be slow. A malformed one is put aside after a minute.
 * S4. Nothing is lost: what cannot be taken is kept in rejected/ with the reason beside it.
 * S5. Links are not followed, and no more than the limit is read.
 * S6. Taken facts are deleted ten minutes later, some at a time: ext4 is slow to make files where many were just
 *     deleted, and shells make one for each value.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isRealFolder, makeFolder, PRIVATE_FILE } from './durable.ts'
import { parseFact, type Fact } from './fact.ts'
import { asFailure, errnoOf } from './failure.ts'
import { factNames } from './spool-waits.ts'

export { inputOf, type Fact } from './fact.ts'

/** What became of a fact: its commit is durable, a rule said no, or it stays for a later take. */
export type Verdict =
  | { readonly kind: 'taken' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'waits' }

export interface Taken {
  readonly taken: number
  readonly rejected: readonly { readonly file: string; readonly reason: string }[]
}

export interface SpoolOptions {
  /** The `.steadfold` folder. */
  readonly root: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly maxBytes?: number
}

interface Entry {
  readonly file: string
  readonly time: bigint
  readonly size: number
  readonly regular: boolean
}

const MAX_BYTES = 40 * 1024 * 1024
const MAX_BATCH = 500
const BATCH_BYTES = 16 * 1024 * 1024
const PATIENCE_MS = 60_000
const KEPT_MS = 600_000
const MOST_DELETED = 500
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants

/** Idempotency key of a fact's commit. */
export const keyOf = (fact: Fact): string => `spool:${fact.file.slice(0, -'.fact'.length)}`

export class Spool {
  readonly folder: string
  readonly #options: Required<SpoolOptions>
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: SpoolOptions) {
    this.#options = { maxBytes: MAX_BYTES, ...options }
    this.folder = path.join(options.root, 'spool')
  }

  /** Finished facts in order (S2). */
  list(): readonly Fact[] {
    return this.#entries().flatMap((entry) => {
      const parsed = this.#read(entry)
      return parsed?.kind === 'fact' ? [parsed.fact] : []
    })
  }

  /**
   * Hands every finished fact to `sequence`, which answers once each one's commit is durable (S1). When it throws, what
   * it was given stays for the next time.
   */
  take(sequence: (facts: readonly Fact[]) => Promise<readonly Verdict[]>): Promise<Taken> {
    const taken = this.#turn.then(() => this.#takeAll(sequence))
    this.#turn = taken.catch(() => undefined)
    return taken
  }

  /** Files whose writer is slow or died; for people (S3). */
  unfinished(): readonly string[] {
    return this.#entries()
      .filter((entry) => this.#read(entry)?.kind === 'unfinished')
      .map(({ file }) => file)
  }

  /** Facts put aside, with the reasons; for people. */
  rejected(): readonly { readonly file: string; readonly reason: string }[] {
    const folder = path.join(this.folder, 'rejected')
    if (!isRealFolder(this.folder) || !isRealFolder(folder)) return []
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.fact'))
    return files.sort().map((file) => ({ file, reason: readIfThere(path.join(folder, `${file}.why`)) }))
  }

  async #takeAll(sequence: (facts: readonly Fact[]) => Promise<readonly Verdict[]>): Promise<Taken> {
    const rejected: { file: string; reason: string }[] = []
    let taken = 0
    for (const { facts, bad } of this.#batches()) {
      const verdicts = facts.length === 0 ? [] : await sequence(facts)
      for (const [i, { file }] of facts.entries()) {
        const verdict = verdicts[i]
        if (verdict?.kind === 'taken') taken += this.#move(file, 'taken')
        if (verdict?.kind === 'rejected') rejected.push({ file, reason: verdict.reason })
      }
      rejected.push(...bad)
    }
    for (const { file, reason } of rejected) this.#putAside(file, reason)
    this.#forget()
    return { taken, rejected }
  }

  *#batches(): Generator<{ readonly facts: readonly Fact[]; readonly bad: { file: string; reason: string }[] }> {
    let facts: Fact[] = []
    let bad: { file: string; reason: string }[] = []
    let bytes = 0
    for (const entry of this.#entries()) {
      const parsed = this.#read(entry)
      if (parsed?.kind === 'fact') facts.push(parsed.fact)
      if (parsed?.kind === 'malformed' && this.#isOld(entry)) bad.push({ file: entry.file, reason: parsed.reason })
      bytes += entry.size
      if (facts.length < MAX_BATCH && bytes < BATCH_BYTES) continue
      yield { facts, bad }
      facts = []
      bad = []
      bytes = 0
    }
    yield { facts, bad }
  }

  #entries(): readonly Entry[] {
    const entries = factNames(this.folder).flatMap((file) => {
      const stat = fs.lstatSync(path.join(this.folder, file), { bigint: true, throwIfNoEntry: false })
      if (stat === undefined) return []
      return [{ file, time: stat.mtimeNs, size: Number(stat.size), regular: stat.isFile() }]
    })
    return inOrder(entries)
  }

  /** Undefined when another process has just taken it. */
  #read(entry: Entry): ReturnType<typeof parseFact> | undefined {
    if (!entry.regular) return { kind: 'malformed', reason: 'it is not a regular file' }
    if (entry.size > this.#options.maxBytes) {
      return { kind: 'malformed', reason: `it has ${entry.size} bytes, more than ${this.#options.maxBytes}` }
    }
    const bytes = readRegular(path.join(this.folder, entry.file), entry.size)
    return bytes === undefined ? undefined : parseFact(entry.file, bytes)
  }

  #isOld(entry: Entry): boolean {
    return this.#options.now() - Number(entry.time / 1_000_000n) > PATIENCE_MS
  }

  /** S4 */
  #putAside(file: string, reason: string): void {
    if (this.#move(file, 'rejected') === 0) return
    const why = path.join(this.folder, 'rejected', `${file}.why`)
    fs.rmSync(why, { force: true })
    fs.writeFileSync(why, `${reason}\n`, { mode: PRIVATE_FILE, flag: 'wx' })
  }

  /** How many were moved: none when another process was here first. */
  #move(file: string, to: 'taken' | 'rejected'): number {
    const folder = path.join(this.folder, to)
    try {
      if (!isRealFolder(folder)) makeFolder(folder)
      fs.renameSync(path.join(this.folder, file), path.join(folder, file))
      return 1
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return 0
      throw asFailure(error, `cannot move ${file} in the spool`)
    }
  }

  /** S6 */
  #forget(): void {
    const folder = path.join(this.folder, 'taken')
    const isOld = (file: string) => {
      const stat = fs.lstatSync(path.join(folder, file), { throwIfNoEntry: false })
      return stat !== undefined && this.#options.now() - stat.ctimeMs > KEPT_MS
    }
    const old = factNames(folder).slice(0, MOST_DELETED).filter(isOld)
    for (const file of old) fs.rmSync(path.join(folder, file), { force: true })
  }
}

/** S2: within a process the time never goes back, whatever the clock did. */
function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const byName = [...entries].sort((a, b) => compare(stem(a.file), stem(b.file)))
  const latest = new Map<string, bigint>()
  const placed = byName.map((entry) => {
    const process = stem(entry.file).replace(/-[^-]*$/, '')
    const before = latest.get(process) ?? entry.time
    const time = entry.time > before ? entry.time : before
    latest.set(process, time)
    return { entry, time }
  })
  return placed.sort((a, b) => compare(a.time, b.time)).map(({ entry }) => entry)
}

const stem = (file: string): string => file.slice(0, -'.fact'.length)

const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

/** S5: a pipe does not block, and a file that grows is read no further than it was long. */
function readRegular(file: string, size: number): Buffer | undefined {
  let fd: number
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw asFailure(error, `cannot read ${file}`)
  }
  try {
    const bytes = Buffer.alloc(size)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, size, 0))
  } catch (error) {
    throw asFailure(error, `cannot read ${file}`)
  } finally {
    fs.closeSync(fd)
  }
}

function readIfThere(file: string): string {
  const bytes = fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? fs.readFileSync(file, 'utf8') : ''
  return bytes.trimEnd()
}

/*
 * Facts that were handed in and wait for their commit.
 *
 *   shell ──► spool/<process>-<part>.facts ─┐              ┌──► spool/taken/      deleted later
 *   hook ───► spool/<name>.fact ────────────┴─ take: commit┴──► spool/rejected/   malformed, or refused by a rule
 *
 * S1. A fact leaves the spool only after its commit is durable. Its key is its id, so that one taken twice adds
 *     nothing (L7).
 * S2. Facts are taken in the order of spool-order.ts.
 * S3. An unfinished fact is left alone: its writer may be slow. A malformed one is put aside: after a minute with its
 *     file, or alone where its file holds others and its head still says where it ends.
 * S4. Nothing is lost: what cannot be taken is kept in rejected/ with the reason beside it.
 * S5. Links are not followed, and no more than the limit is read.
 * S6. Files that were taken are deleted ten minutes later, some at a time: a late write is not lost at once, and ext4 is
 *     slow to make files where many were just deleted.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from '../../kernel/system-error.ts'
import { isRealFolder, makeFolder, replaceFile } from './durable.ts'
import type { Fact } from './fact.ts'
import { asFailure } from './failure.ts'
import { keepMark, type Journal } from './journal.ts'
import { COARSE_MS, inOrder } from './spool-order.ts'
import { scan, type Pending, type Scanned } from './spool-scan.ts'
import { markOf, SILENT_MS, spooled } from './spool-waits.ts'
import type { Told } from './strays.ts'

export { inputOf, type Fact } from './fact.ts'

/** What became of a fact: its commit is durable, a rule said no, or it stays for a later take. */
export type Verdict =
  | { readonly kind: 'taken' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'waits' }

export type Sequence = (facts: readonly Fact[]) => Promise<readonly Verdict[]>

export interface Rejected {
  readonly file: string
  readonly reason: string
}

export interface Taken {
  readonly taken: number
  readonly rejected: readonly Rejected[]
}

export interface SpoolOptions {
  /** The `.steadfold` folder. */
  readonly root: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly maxBytes?: number
}

const MAX_BYTES = 40 * 1024 * 1024
const MAX_BATCH = 500
const KEPT_MS = 600_000
const MOST_DELETED = 500
const DAY_MS = 86_400_000

/** Idempotency key of a fact's commit. */
export const keyOf = (fact: Fact): string => `spool:${fact.id}`

export class Spool {
  readonly folder: string
  readonly #options: Required<SpoolOptions>
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: SpoolOptions) {
    this.#options = { maxBytes: MAX_BYTES, ...options }
    this.folder = path.join(options.root, 'spool')
  }

  /** Finished facts in order (S2), as far as one look can tell while others write. */
  list(): readonly Fact[] {
    return this.told().map(({ fact }) => fact)
  }

  /** The same, each with its time in milliseconds since 1970. */
  told(): readonly Told[] {
    const { pending } = scan(this.folder, { ...this.#options, withLate: true })
    return inOrder(pending).filter(({ wrong }) => wrong === undefined)
  }

  /**
   * Hands every finished fact to `sequence`, which answers once each one's commit is durable (S1). When it throws, what
   * it was given stays for the next time.
   */
  take(sequence: Sequence): Promise<Taken> {
    const taken = this.#turn.then(() => this.#takeAll(sequence))
    this.#turn = taken.catch(() => undefined)
    return taken
  }

  /** Files whose writer is slow or died; for people (S3). */
  unfinished(): readonly string[] {
    return this.#scan().unfinished
  }

  /** Facts put aside, with the reasons; for people. */
  rejected(): readonly Rejected[] {
    const folder = path.join(this.folder, 'rejected')
    if (!isRealFolder(this.folder) || !isRealFolder(folder)) return []
    const files = fs.readdirSync(folder).filter((name) => /\.facts?$/.test(name))
    return files.sort().map((file) => ({ file, reason: readIfThere(path.join(folder, `${file}.why`)) }))
  }

  async #takeAll(sequence: Sequence): Promise<Taken> {
    const all: { taken: number; rejected: Rejected[] } = { taken: 0, rejected: [] }
    for (let more = true; more;) {
      const scanned = await this.#scanSettled()
      const { taken, rejected } = await this.#takeScanned(scanned, sequence)
      all.taken += taken
      all.rejected.push(...rejected)
      more = scanned.capped && taken + rejected.length > 0
    }
    this.#forget()
    return all
  }

  async #takeScanned(scanned: Scanned, sequence: Sequence): Promise<Taken> {
    const rejected: Rejected[] = []
    const ordered = inOrder(scanned.pending)
    const ends = new Map<Journal, number>()
    let taken = 0
    for (let at = 0; at < ordered.length; at += MAX_BATCH) {
      const batch = ordered.slice(at, at + MAX_BATCH)
      const verdicts = await judged(batch, sequence)
      for (const [i, pending] of batch.entries()) {
        const verdict = verdicts[i] ?? { kind: 'waits' }
        taken += this.#settle(pending, verdict)
        if (verdict.kind === 'rejected') rejected.push({ file: `${pending.id}.fact`, reason: verdict.reason })
        if (pending.journal !== undefined) ends.set(pending.journal, pending.end)
      }
      for (const [journal, end] of ends) keepMark(journal, end, end)
    }
    for (const journal of scanned.journals) this.#close(journal, ends.get(journal) ?? journal.offset)
    return { taken, rejected: [...rejected, ...scanned.bad.filter(({ file, reason }) => this.#putAside(file, reason))] }
  }

  /** How many were taken out of the spool because of their commit. */
  #settle({ id, text, journal }: Pending, verdict: Verdict): number {
    if (journal === undefined) {
      if (verdict.kind === 'rejected') this.#putAside(`${id}.fact`, verdict.reason)
      return verdict.kind === 'taken' ? this.#move(`${id}.fact`, 'taken') : 0
    }
    if (verdict.kind === 'taken') return 1
    // It gets a file of its own, whole or not at all, so that its writer's others can be left behind.
    replaceFile(path.join(this.folder, `${id}.fact`), text)
    if (verdict.kind === 'rejected') this.#putAside(`${id}.fact`, verdict.reason)
    return 0
  }

  /** Puts a journal away that was taken to its end and whose writer is silent; J1 holds until then. */
  #close(journal: Journal, end: number): void {
    const { file, size, mtimeMs, rest, more } = journal
    const name = path.basename(file)
    const silent = more ? 0 : this.#options.now() - mtimeMs
    if (rest === 'nothing' && end === size && silent > SILENT_MS) {
      if (fs.lstatSync(file, { throwIfNoEntry: false })?.size === size) this.#move(name, 'taken')
    } else if (rest === 'malformed' && silent > SILENT_MS) {
      this.#putAside(name, 'what stands in it is no fact')
    } else if (rest === 'unfinished' && silent > DAY_MS) {
      this.#putAside(name, 'its last fact was never finished')
    } else {
      keepMark(journal, end, size)
      return
    }
    fs.rmSync(markOf(file), { force: true })
  }

  /** With everything that was handed in before the call, though clocks be coarse. */
  async #scanSettled(): Promise<Scanned> {
    const scanned = this.#scan()
    if (!scanned.late) return scanned
    await sleep(3 * COARSE_MS)
    return this.#scan()
  }

  #scan(): Scanned {
    return scan(this.folder, this.#options)
  }

  /** S4; false when another process was here first. */
  #putAside(file: string, reason: string): boolean {
    if (this.#move(file, 'rejected') === 0) return false
    const why = path.join(this.folder, 'rejected', `${file}.why`)
    replaceFile(why, `${reason}\n`)
    return true
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
    const { one, many } = spooled(folder)
    const old = [...one, ...many].slice(0, MOST_DELETED).filter(isOld)
    for (const file of old) fs.rmSync(path.join(folder, file), { force: true })
  }
}

/** Of each, in order; a malformed one is nobody's to judge. */
async function judged(batch: readonly Pending[], sequence: Sequence): Promise<readonly (Verdict | undefined)[]> {
  const sound = batch.filter(({ wrong }) => wrong === undefined)
  const verdicts = (await sequence(sound.map(({ fact }) => fact))).values()
  return batch.map(({ wrong }) => (wrong === undefined ? verdicts.next().value : { kind: 'rejected', reason: wrong }))
}

function readIfThere(file: string): string {
  const text = fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? fs.readFileSync(file, 'utf8') : ''
  return text.trimEnd()
}

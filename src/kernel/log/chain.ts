/*
 * Which lines of a log count: rules L2 and L3.
 *
 *   line ─ checks? ─ no ──────────────────────────────► torn fragment (suspect until the chain goes on, or nothing follows)
 *            │ yes
 *            ├─ seq = last + 1 and prev = last hash ──► the next commit
 *            ├─ seq ≤ last, or prev is a lost hash ───► lost race
 *            └─ anything else ────────────────────────► corruption: reading stops here
 *
 * The position moves only over accepted commits, so that a reader who starts there sees every losing batch whole.
 */
import { EngineError } from '../error.ts'
import type { Chunk, Host, Position } from '../ports.ts'
import { checkLine, HASH_MEMBER, isAltered, LINE_HEAD, linkOf, PREV_MEMBER, type Link } from './check-line.ts'
import { GENESIS, SEAL_EVENT } from './commit.ts'
import { isPassing } from './replaced.ts'

export const START: Position = { seq: 0, hash: GENESIS, segment: 1, offset: 0 }

/** A run of accepted lines without anything between them: `bytes[start..end)`, last newline included. */
export interface Run {
  start: number
  end: number
  count: number
}

/** Is told of each accepted line and the position behind it. */
export type Accepted = (link: Link, position: Position) => void

/** A stretch of the log that is no commit. */
export interface Fragment {
  /** By the sequence number that it begins with. */
  readonly segment: number
  /** In bytes, from the beginning of the segment. */
  readonly offset: number
  readonly bytes: number
  /** It is whole, and stands where the next commit would: written to the end, and not what it was any more. */
  readonly altered?: true
}

/** Where the log is no longer what was written. */
export interface Damage extends Fragment {
  /** Of the first commit that is not proven. */
  readonly seq: number
  readonly reason: string
}

export const NEWER_FORMAT = 'it is written in a newer format version'
const NEWLINE = 0x0a
const SEAL_TAIL = Buffer.from(`{"type":"${SEAL_EVENT}","data":{}}]`, 'latin1')
const REMEMBERED_RACES = 4096
/** Each costs a hash of what stands behind it. */
const HEADS_TRIED = 64

export class Chain {
  position: Position
  damage: Damage | undefined
  readonly torn: Fragment[] = []
  races = 0
  /** Of them those that speak against what was there before the scan: in the place of it, or behind a line that lost against it. */
  rivals = 0
  /** Bytes behind the last newline: a line still being written, or the rest of a crash. */
  unfinished: Fragment | undefined
  #suspects: Fragment[] = []
  readonly #lost = new Set<string>()
  #last: Link | undefined
  /** Of the scan under way. */
  #runs: Run[] = []
  #sound = 0
  #before = 0
  readonly #sha256: Host['sha256']

  constructor(position: Position, sha256: Host['sha256']) {
    this.position = position
    this.#sha256 = sha256
  }

  /** Fragments that nothing has followed yet. */
  get trailing(): readonly Fragment[] {
    return this.#suspects
  }

  /** Takes a failure of the store that says where the log is damaged; throws any other. */
  fail(error: unknown): void {
    if (!(error instanceof EngineError) || error.code !== 'LOG_CORRUPT' || isPassing(error)) throw error
    const { segment, offset } = this.position
    this.damage = { segment, offset, bytes: 0, seq: this.position.seq + 1, reason: error.message }
  }

  /** Reads the lines of a chunk; answers where the accepted ones stand. Stops at damage and at the end of a segment. */
  scan(chunk: Chunk, accepted?: Accepted): readonly Run[] {
    const { bytes } = chunk
    const runs: Run[] = []
    this.#runs = runs
    this.#before = this.position.seq
    this.#sound = 0
    // A fresh look from the last accepted commit meets again what was suspect behind it.
    if (chunk.offset === this.position.offset) this.#suspects = []
    this.unfinished = undefined
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, start)
      if (end < 0) {
        this.unfinished = { segment: chunk.segment, offset: chunk.offset + start, bytes: bytes.length - start }
        break
      }
      this.#last = undefined
      const goOn = end === start || this.#line(chunk, start, end)
      if (accepted !== undefined && this.#last !== undefined) accepted(this.#last, this.position)
      if (!goOn) break
      start = end + 1
    }
    return runs
  }

  /** False when reading must stop behind this line. */
  #line(chunk: Chunk, start: number, end: number): boolean {
    const link = this.#check(chunk, start, end)
    if (link === undefined) return this.#suspect(chunk, start, end)
    if (link.seq === this.position.seq + 1 && link.prev === this.position.hash)
      return this.#accept(chunk, start, end, link)
    if (link.seq <= this.position.seq || this.#lost.has(link.prev)) return this.#lose(link)
    return this.#stop(chunk, start, end, this.#mismatch(link))
  }

  /** What was found sound before is not hashed again. */
  #check({ bytes, sound }: Chunk, start: number, end: number): Link | undefined {
    if (sound?.[this.#sound] !== end) return checkLine(bytes, start, end, this.#sha256)
    this.#sound++
    return linkOf(bytes, start, end)
  }

  #accept(chunk: Chunk, start: number, end: number, link: Link): boolean {
    const runs = this.#runs
    const last = runs.at(-1)
    if (last?.end === start) {
      last.end = end + 1
      last.count++
    } else runs.push({ start, end: end + 1, count: 1 })
    if (this.#suspects.length > 0) this.torn.push(...this.#suspects.splice(0))
    this.#last = link
    const sealed = isSeal(chunk.bytes, end)
    this.position = sealed
      ? { seq: link.seq, hash: link.hash, segment: link.seq + 1, offset: 0 }
      : { seq: link.seq, hash: link.hash, segment: chunk.segment, offset: chunk.offset + end + 1 }
    return !sealed
  }

  #suspect(chunk: Chunk, start: number, end: number): boolean {
    if (isNewer(chunk.bytes, start, end)) return this.#stop(chunk, start, end, NEWER_FORMAT)
    const within = this.#linkWithin(chunk.bytes, start, end)
    if (within !== undefined && within.seq > this.position.seq + 1 && !this.#lost.has(within.prev)) {
      return this.#stop(chunk, start, end, this.#mismatch(within))
    }
    const altered = isAltered(chunk.bytes, start, end, this.position) && { altered: true as const }
    this.#suspects.push({ segment: chunk.segment, offset: chunk.offset + start, bytes: end - start, ...altered })
    return true
  }

  /** A whole line at the end of a fragment: its writer had seen the commits before it, so that they were there. */
  #linkWithin(bytes: Buffer, start: number, end: number): Link | undefined {
    let from = end
    // What a line holds may look like the beginning of one.
    for (let i = 0; i < HEADS_TRIED; i++) {
      from = bytes.lastIndexOf(LINE_HEAD, from - 1)
      if (from <= start) return undefined
      const link = checkLine(bytes, from, end, this.#sha256)
      if (link !== undefined) return link
    }
    return undefined
  }

  #lose({ seq, prev, hash }: Link): boolean {
    if (this.#lost.has(hash)) return true
    if (this.#lost.size >= REMEMBERED_RACES) this.#lost.clear()
    this.#lost.add(hash)
    this.races++
    if (seq <= this.#before || this.#lost.has(prev)) this.rivals++
    return true
  }

  #stop(chunk: Chunk, start: number, end: number, reason: string): boolean {
    const here: Fragment = { segment: chunk.segment, offset: chunk.offset + start, bytes: end - start }
    this.damage = { ...(this.#suspects[0] ?? here), seq: this.position.seq + 1, reason }
    return false
  }

  #mismatch(link: Link): string {
    const { seq } = this.position
    return link.seq === seq + 1
      ? `commit ${link.seq} does not continue the hash of commit ${seq}`
      : `commit ${link.seq} follows commit ${seq}`
  }
}

/** A line that checks ends a segment when its last event is this one, whatever its operation is called. */
function isSeal(bytes: Buffer, end: number): boolean {
  const tail = end - HASH_MEMBER - PREV_MEMBER
  return bytes[tail - 4] === 0x7b && bytes.compare(SEAL_TAIL, 0, SEAL_TAIL.length, tail - SEAL_TAIL.length, tail) === 0
}

/** `{"v":2,"seq":…}` and above: whole lines of a format that is not ours to judge. A torn one is a fragment. */
function isNewer(bytes: Buffer, start: number, end: number): boolean {
  return /^\{"v":(?!1,)[0-9]+,"seq":/.test(bytes.toString('latin1', start, start + 24)) && bytes[end - 1] === 0x7d
}

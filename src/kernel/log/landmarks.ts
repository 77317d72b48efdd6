/*
 * Places in a log that are known to stand behind a commit that counts: whoever reads a part of it begins at one of them.
 *
 *   known ……… known ◄── proven ── candidate ◄── a block further back
 *
 * M1. A place that is not known yet counts when the chain leads from it to a place that is known: hashes prove what they follow.
 * M2. What is read is what is asked for, and at most a block more, once the way there was walked; that is done from the nearer end.
 * M3. A log that was cut is not what it was: nothing that was known of it counts any more.
 */
import type { Position, Reader } from '../ports.ts'
import { Chain, START } from './chain.ts'
import type { Commit } from './commit.ts'
import { commitsOf } from './commits.ts'
import { scanLog } from './replay.ts'

const BLOCK = 256 * 1024
const FARTHEST = 16 * 1024 * 1024
const STEP = 16 * 1024
const MOST_MISSES = 5

export class Landmarks {
  readonly #reader: Reader
  readonly #session: string
  /** By their sequence numbers. */
  readonly #known: Position[] = [START]

  constructor(reader: Reader, session: string) {
    this.#reader = reader
    this.#session = session
  }

  /** Of the commits up to `end`, where the session is known to stand, those of the range: what is damaged lies behind. */
  async *commits(
    { after, until }: { readonly after: number; readonly until: number },
    end: Position,
  ): AsyncGenerator<Commit, void, undefined> {
    const range = { after, until: Math.min(until, end.seq) }
    if (after >= range.until) return
    const position = () => this.behind(after, end)
    yield* commitsOf(this.#reader, this.#session, range, { position, passed: (place) => this.#learn(place) })
  }

  /** A place at or before commit `seq`, to read on from. */
  async behind(seq: number, end: Position): Promise<Position> {
    if (seq >= end.seq) return end
    await this.#forgetWhatIsCut()
    for (let [bytes, misses] = [BLOCK, 0]; ;) {
      const below = this.#known.findLast((place) => place.seq <= seq) ?? START
      const above = this.#known.find((place) => place.seq > seq) ?? end
      if (seq - below.seq <= above.seq - seq || isNear(below, above)) return below
      const found = await this.#reader.log.near?.(this.#session, above, bytes)
      if (found === undefined || found.seq <= below.seq || found.seq >= above.seq || isNear(below, found)) return below
      // A lost race looks like any other line: another one may do.
      const isProven = await this.#prove(found, above, 2 * bytes)
      misses = isProven ? 0 : misses + 1
      bytes = isProven ? Math.min(2 * bytes, FARTHEST) : bytes + STEP
      if (misses === MOST_MISSES) return below
    }
  }

  /** M1. From a lost race the chain may lead on, past all that counts: no farther than `most` bytes. */
  async #prove(found: Position, above: Position, most: number): Promise<boolean> {
    const chain = new Chain(found, this.#reader.host.sha256)
    const passed = [found]
    let hash = ''
    const accepted = (link: { readonly seq: number; readonly hash: string }) => {
      if (link.seq === above.seq) hash = link.hash
    }
    let left = most
    for await (const { bytes } of scanLog(this.#reader.log, this.#session, chain, accepted)) {
      if (chain.position.seq >= above.seq || (left -= bytes.length) < 0) break
      passed.push(chain.position)
    }
    if (hash !== above.hash) return false
    for (const place of passed) this.#learn(place)
    return true
  }

  /** Of places that lie close together, the first is enough. */
  #learn(place: Position): void {
    const at = this.#known.findLastIndex(({ seq }) => seq <= place.seq)
    const [below, above] = [this.#known[at], this.#known[at + 1]]
    if (below?.seq === place.seq || (below !== undefined && isNear(below, place))) return
    if (above !== undefined && isNear(place, above)) this.#known[at + 1] = place
    else this.#known.splice(at + 1, 0, place)
  }

  /** M3 */
  async #forgetWhatIsCut(): Promise<void> {
    const last = this.#known.at(-1)
    if (last === undefined || last.seq === 0) return
    // A position of its own: of this one it may be remembered that it stood.
    if ((await this.#reader.log.stands(this.#session, { ...last })) !== 'yes') this.#known.length = 1
  }
}

const isNear = (a: Position, b: Position): boolean => a.segment === b.segment && b.offset - a.offset < BLOCK

/*
 * Lines on their way into a log, one behind the other in one piece of memory, which serves group after group.
 *
 *   text ──utf8──► bytes ──sha256──► hash member ──► newline
 */
import type { Encoded, Host, Lines } from '../ports.ts'
import { HASH_MEMBER } from './check-line.ts'
import { SEAL_OP, type Draft } from './commit.ts'

const NOTHING = Buffer.alloc(0)
const ROOM = 16 * 1024
const MOST_KEPT = 1024 * 1024
/** Beyond so many characters their bytes are counted, not guessed. */
const LONG = 64 * 1024
const BRACE = 0x7d

export class Batch implements Lines {
  readonly lines: Encoded[] = []
  readonly #sha256: Host['sha256']
  /** Made when the first line comes: most sessions that are opened are only read. */
  #room = NOTHING
  #end = 0

  constructor(sha256: Host['sha256']) {
    this.#sha256 = sha256
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#end)
  }

  /** Adds the commit with the text of its line; `undefined`, and nothing added, when that would have more than `most` bytes. */
  add(draft: Draft, text: string, most = Infinity): Encoded | undefined {
    const start = this.#end
    this.#reserve(text.length > LONG ? Buffer.byteLength(text) : text.length * 3)
    const cut = start + this.#room.write(text, start)
    this.#room[cut] = BRACE
    const hash = this.#sha256(this.#room.subarray(start, cut + 1))
    const end = cut + HASH_MEMBER + 1
    if (end - start > most) return undefined
    this.#room.write(`,"hash":"${hash}"}\n`, cut, 'latin1')
    this.#end = end
    const encoded: Encoded = { seq: draft.seq, hash, end, seal: draft.op === SEAL_OP }
    this.lines.push(encoded)
    return encoded
  }

  /** Begins anew: what was here has been written, or never will be. */
  clear(): void {
    this.lines.length = 0
    this.#end = 0
    if (this.#room.length > MOST_KEPT) this.#room = NOTHING
  }

  #reserve(size: number): void {
    const wanted = this.#end + size + HASH_MEMBER + 1
    if (wanted <= this.#room.length) return
    const room = Buffer.allocUnsafe(Math.max(wanted, ROOM, 2 * this.#room.length))
    this.#room.copy(room, 0, 0, this.#end)
    this.#room = room
  }
}

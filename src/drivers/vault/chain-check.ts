import { createHash } from 'node:crypto'
import { Chain } from '../../kernel/log/chain.ts'
import { invalid, type Manifest } from './manifest.ts'

const NEWLINE = 0x0a
const LONGEST_LINE = 32 * 1024 * 1024
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** Log files of a bundle against the chain rules: only accepted commits, from the first declared to the head. */
export class ChainCheck {
  readonly #session: Manifest['session']
  readonly #chain: Chain
  #segment = 0
  #offset = 0
  #rest: Buffer[] = []
  #waiting = 0

  constructor({ session }: Manifest) {
    this.#session = session
    // Offsets count from where the bundle begins; where the segment began is for whoever appends to say.
    this.#chain = new Chain({ seq: session.from - 1, hash: session.prev, segment: session.from, offset: 0 }, sha256)
  }

  /** Whether it is part of the log. */
  begin(path: string): boolean {
    const first = /^log\/(\d{20})\.jsonl$/.exec(path)?.[1]
    if (first === undefined) return false
    this.#settle()
    const { seq, segment } = this.#chain.position
    if (Number(first) !== segment || (this.#segment > 0 && segment !== seq + 1))
      throw invalid(`${path} does not follow commit ${seq}`)
    this.#segment = segment
    this.#offset = 0
    return true
  }

  take(chunk: Uint8Array): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    const own = Buffer.from(chunk)
    if (end > 0) {
      const bytes = Buffer.concat([...this.#rest, own.subarray(0, end)])
      this.#rest = []
      this.#waiting = 0
      this.#scan(bytes)
    }
    if (end === own.length) return
    this.#rest.push(own.subarray(end))
    this.#waiting += own.length - end
    if (this.#waiting > LONGEST_LINE) throw invalid(`a commit behind ${this.#chain.position.seq} is too long`)
  }

  end(): void {
    this.#settle()
    const { seq, hash } = this.#chain.position
    if (seq !== this.#session.seq || hash !== this.#session.head)
      throw invalid(`its log ends at commit ${seq}, not at ${this.#session.seq} as declared`)
  }

  #settle(): void {
    if (this.#rest.length > 0) throw invalid(`the commit behind ${this.#chain.position.seq} is cut off`)
  }

  #scan(bytes: Buffer): void {
    const chain = this.#chain
    if (this.#segment !== chain.position.segment) throw invalid(`something follows the end of segment ${this.#segment}`)
    const before = chain.position
    const runs = chain.scan({ bytes, segment: this.#segment, offset: this.#offset })
    this.#offset += bytes.length
    const whole = runs.length === 1 && runs[0]?.start === 0 && runs[0].end === bytes.length
    if (!whole || chain.damage !== undefined)
      throw invalid(
        `its log does not hold together behind commit ${before.seq}: ${chain.damage?.reason ?? 'a foreign line'}`,
      )
  }
}

/*
 * A reader of logs made from docs/protocol.md alone. It shares no code with the product and imports nothing of it.
 */
import { createHash } from 'node:crypto'

export interface Link {
  readonly seq: number
  readonly prev: string
  readonly hash: string
}

export interface Damage {
  readonly segment: number
  readonly offset: number
  readonly seq: number
}

export interface Reading {
  readonly hashes: readonly string[]
  readonly lines: readonly string[]
  readonly damage: Damage | undefined
}

/** Files of a log by the number that they are named by. */
export type Files = ReadonlyMap<number, Buffer>

type Verdict = 'next' | 'seal' | 'ignored' | 'fragment' | 'stop'

const HEAD = '{"v":1,"seq":'
const SEAL = '{"type":"log.sealed","data":{}}]'

/** Bytes as latin1 text, so that a character is a byte. */
function check(line: string): Link | undefined {
  const end = /,"hash":"([0-9a-f]{64})"\}$/.exec(line)
  if (end === null || !line.startsWith(HEAD) || line[HEAD.length] === '0' || line.length < 162) return undefined
  const hash = createHash('sha256')
    .update(Buffer.from(`${line.slice(0, end.index)}}`, 'latin1'))
    .digest('hex')
  if (hash !== end[1]) return undefined
  return { seq: Number(/^\d*/.exec(line.slice(13))?.[0]), prev: line.slice(end.index - 65, end.index - 1), hash }
}

export class Reader {
  readonly #files: Files
  readonly #hashes: string[] = []
  readonly #lines: string[] = []
  readonly #lost = new Set<string>()
  #last: Link = { seq: 0, prev: '', hash: '0'.repeat(64) }
  /** Behind the last commit. */
  #place = { segment: 1, offset: 0 }
  #damage: Damage | undefined

  constructor(files: Files) {
    this.#files = files
  }

  read(): Reading {
    while (this.#segment());
    return { hashes: this.#hashes, lines: this.#lines, damage: this.#damage }
  }

  /** True when it ended in a seal. */
  #segment(): boolean {
    const { segment } = this.#place
    const later = [...this.#files].filter(([first]) => first > segment)
    const bytes = this.#files.get(segment)
    if (bytes === undefined) return later.length > 0 && this.#stop(this.#place)
    const verdict = this.#linesOf(segment, bytes.toString('latin1'))
    if (verdict === 'seal') return true
    if (verdict !== 'stop' && later.some(([, { length }]) => length > 0)) this.#stop(this.#place)
    return false
  }

  #linesOf(segment: number, text: string): Verdict {
    let fragment: number | undefined
    let verdict: Verdict = 'ignored'
    for (let start = 0, end = text.indexOf('\n'); end >= 0; start = end + 1, end = text.indexOf('\n', start)) {
      const line = text.slice(start, end)
      verdict = line === '' ? 'ignored' : this.#judge(line)
      if (verdict === 'stop') this.#stop({ segment, offset: fragment ?? start })
      if (verdict === 'stop') return verdict
      if (verdict === 'fragment') fragment ??= start
      if (verdict !== 'next' && verdict !== 'seal') continue
      fragment = undefined
      this.#place = verdict === 'seal' ? { segment: this.#last.seq + 1, offset: 0 } : { segment, offset: end + 1 }
      if (verdict === 'seal') return verdict
    }
    return verdict
  }

  #judge(line: string): Verdict {
    const link = check(line)
    if (link === undefined) return this.#torn(line)
    const isNext = link.seq === this.#last.seq + 1 && link.prev === this.#last.hash
    if (!isNext && (link.seq <= this.#last.seq || this.#lost.has(link.prev))) {
      this.#lost.add(link.hash)
      return 'ignored'
    }
    if (!isNext) return 'stop'
    this.#last = link
    this.#hashes.push(link.hash)
    this.#lines.push(line)
    return line.slice(0, line.lastIndexOf(',"prev":"')).endsWith(SEAL) ? 'seal' : 'next'
  }

  #torn(line: string): Verdict {
    if (/^\{"v":(?!1,)\d{1,12},"seq":.*\}$/s.test(line)) return 'stop'
    const from = line.lastIndexOf(HEAD)
    const within = from > 0 ? check(line.slice(from)) : undefined
    const isGap = within !== undefined && within.seq > this.#last.seq + 1 && !this.#lost.has(within.prev)
    return isGap ? 'stop' : 'fragment'
  }

  #stop(where: { readonly segment: number; readonly offset: number }): false {
    this.#damage = { ...where, seq: this.#last.seq + 1 }
    return false
  }
}

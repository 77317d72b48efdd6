/*
 * Logs as several writers, crashes and accidents leave them, made from docs/protocol.md alone.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Files, Link } from './reader.ts'

export interface Made extends Link {
  /** Without its newline. */
  readonly text: string
}

export const BEGIN: Made = { seq: 0, prev: '', hash: '0'.repeat(64), text: '' }

/** What stands behind `after`; `more` replaces pieces of the text before it is hashed. */
export function lineAfter({ seq, hash }: Made, value: string, more: readonly (readonly [string, string])[] = []): Made {
  const events = [value === 'seal' ? { type: 'log.sealed', data: {} } : { type: 'note.taken', data: { value } }]
  const head = `{"v":1,"seq":${seq + 1},"at":"2026-01-01T00:00:00.000Z","id":"01942000-0000-7000-8000-000000000001"`
  const op = value === 'seal' ? 'log.seal' : 'note.take'
  const plain = `${head},"actor":"tool:a","op":"${op}","cause":null,"events":${JSON.stringify(events)},"prev":"${hash}"`
  const body = more.reduce((text, [from, to]) => text.replace(from, to), plain)
  const own = createHash('sha256').update(`${body}}`).digest('hex')
  return { seq: seq + 1, prev: hash, hash: own, text: `${body},"hash":"${own}"}` }
}

export type Deed =
  | { readonly kind: 'commit' | 'seal' | 'gap' | 'begin next' | 'bytes in next' | 'skip a file' | 'no newline' }
  | { readonly kind: 'torn' | 'glued' | 'lose' | 'repeat' | 'flip' | 'newer'; readonly by: number }
  | { readonly kind: 'raw'; readonly text: string }

const plain = (['commit', 'seal', 'gap', 'begin next', 'bytes in next', 'skip a file', 'no newline'] as const).map(
  (kind) => ({
    weight: { commit: 12, seal: 3 }[kind as 'commit'] ?? 1,
    arbitrary: fc.constant<Deed>({ kind }),
  }),
)
const measured = (['torn', 'glued', 'lose', 'repeat', 'flip', 'newer'] as const).map((kind) => ({
  weight: { torn: 4, glued: 4, lose: 5, repeat: 2 }[kind as 'torn'] ?? 1,
  arbitrary: fc.nat({ max: 400 }).map((by): Deed => ({ kind, by })),
}))
const raw = fc.constantFrom(
  '',
  ' ',
  '\0\0\0',
  '{"v":',
  '{"v":2',
  '{"v":2,"seq":7',
  '{"v":2,"seq":7}',
  '{"v":1,"seq":',
  '}',
)

export const deeds = fc.array(
  fc.oneof(...plain, ...measured, { weight: 2, arbitrary: raw.map((text): Deed => ({ kind: 'raw', text })) }),
  { minLength: 1, maxLength: 14 },
)

/** What becomes of a log when all that happens to it. */
export class Story {
  readonly #files = new Map<number, string>([[1, '']])
  readonly #winners: Made[] = [BEGIN]
  #losers: readonly Made[] = []
  #segment = 1
  #count = 0

  static of(all: readonly Deed[]): Files {
    const story = new Story()
    for (const deed of all) story.#do(deed)
    return new Map([...story.#files].map(([first, text]) => [first, Buffer.from(text, 'latin1')]))
  }

  get #last(): Made {
    return this.#winners.at(-1) ?? BEGIN
  }

  #do(deed: Deed): void {
    if ('by' in deed) return this.#measured(deed.kind, deed.by)
    if (deed.kind === 'raw') return this.#write(`${deed.text}\n`)
    if (deed.kind === 'commit' || deed.kind === 'seal') return this.#commit(deed.kind)
    if (deed.kind === 'gap')
      return this.#write(`${lineAfter({ ...this.#last, seq: this.#last.seq + 1 }, 'gap').text}\n`)
    const text = this.#files.get(this.#segment) ?? ''
    if (deed.kind === 'no newline') this.#files.set(this.#segment, text.replace(/\n$/, ''))
    else if (deed.kind === 'skip a file') this.#files.set(this.#last.seq + 3, '')
    else this.#files.set(this.#last.seq + 2, deed.kind === 'begin next' ? '' : 'x\n')
  }

  #commit(kind: 'commit' | 'seal'): void {
    const made = lineAfter(this.#last, kind === 'seal' ? 'seal' : `value ${String(this.#count++)}`)
    this.#winners.push(made)
    this.#write(`${made.text}\n`)
    if (kind !== 'seal') return
    this.#segment = made.seq + 1
    // Sometimes the writer got no further.
    if (made.seq % 3 > 0) this.#write('')
  }

  #measured(kind: string, by: number): void {
    const next = lineAfter(this.#last, `torn ${String(this.#count++)}`)
    const version = [2, 10, 12, 345, 1_234_567_890_123][by % 5]
    if (kind === 'torn') this.#write(`${next.text.slice(0, by % next.text.length)}\n`)
    else if (kind === 'lose') this.#lose(by)
    else if (kind === 'repeat') this.#write(`${this.#winners[by % this.#winners.length]?.text ?? ''}\n`)
    else if (kind === 'newer')
      this.#write(`${lineAfter(this.#last, 'new', [['{"v":1,', `{"v":${String(version)},`]]).text}\n`)
    else if (kind === 'glued') this.#write(`${next.text.slice(0, 1 + (by % 80))}${this.#gluable(next, by).text}\n`)
    else this.#flip(by)
  }

  /** The next line, one above it, or the rest of a losing batch. */
  #gluable(next: Made, by: number): Made {
    return [next, lineAfter(next, 'above'), this.#losers.at(-1) ?? next][by % 3] ?? next
  }

  /** A batch of one to three that somebody made who had not seen the last commits. The last of it may come later. */
  #lose(by: number): void {
    const seen = this.#winners.at(-2 - (by % 2)) ?? BEGIN
    const first = lineAfter(seen, `loser ${String(this.#count++)}`)
    const second = lineAfter(first, 'loser')
    this.#losers = [first, second, lineAfter(second, 'loser')]
    for (const { text } of this.#losers.slice(0, 1 + (by % 3))) this.#write(`${text}\n`)
  }

  #flip(by: number): void {
    const bytes = Buffer.from(this.#files.get(this.#segment) ?? '', 'latin1')
    const at = bytes.length - 1 - by
    if (at < 0) return
    bytes[at] = (bytes[at] ?? 0) ^ 1
    this.#files.set(this.#segment, bytes.toString('latin1'))
  }

  #write(text: string): void {
    this.#files.set(this.#segment, (this.#files.get(this.#segment) ?? '') + text)
  }
}

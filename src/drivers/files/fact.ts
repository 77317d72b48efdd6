/*
 * A fact: one value that a shell or a hook hands in.
 *
 *   steadfold-fact 1
 *   session: <id, name, or empty for the active one>
 *   actor: tool:shell
 *   op: output.set
 *   name: KEY
 *   n: 100000017                       in a file of many facts: the number of this one, never used again
 *   at: 1795300000.123456              when, in seconds since 1970; `up 5123.17` for seconds since the machine started
 *   until: #end 17-4f                  the trailer, for values that hold the plain one
 *
 *   <the value, byte for byte>
 *   #end
 *
 * F1. `<name>.fact` holds one fact, whose trailer is the last line. `<name>.facts` holds one after the other; there a
 *     value does not hold its trailer. Without its trailer a fact is unfinished, unless its head is wrong already: what
 *     follows cannot mend it.
 * F2. The value is all between the empty line and the newline before the trailer.
 * F3. Words of the head that are not known are passed over, so that newer writers may add some.
 */
import { EngineError } from '../../kernel/error.ts'
import { parseJsonText } from '../../kernel/json/text.ts'
import { isActor } from '../../kernel/text/actor.ts'

export interface Fact {
  /** Never used again; the idempotency key is made of it. */
  readonly id: string
  readonly session: string
  readonly actor: string
  readonly op: string
  readonly name: string
  readonly value: Buffer
  /** As the writer told it; empty when it did not. */
  readonly at: string
}

export type Parsed =
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'malformed'; readonly reason: string }

export interface Recorded {
  readonly fact: Fact
  /** What is wrong with its head, where that says all the same which fact it is and where it ends. */
  readonly wrong: string | undefined
  /** The whole fact, as a `.fact` file holds it. */
  readonly text: Buffer
  /** Where it ends in the bytes that were parsed. */
  readonly end: number
}

export interface ParsedFile {
  readonly records: readonly Recorded[]
  /** What stands behind the last record. */
  readonly rest: 'nothing' | 'unfinished' | 'malformed'
}

type Words = ReadonlyMap<string, string>
type Malformed = Extract<Parsed, { kind: 'malformed' }>
type Head = { readonly kind: 'head'; readonly words: Words; readonly wrong: string | undefined } | Malformed

const VERSION = 'steadfold-fact 1'
const HEAD_LIMIT = 4096
const NUMBER = /^\d{1,15}$/
const WORD = /^([a-z]+): ?(.*)$/s
const RULES: Readonly<Record<'session' | 'actor' | 'op' | 'name', (word: string) => boolean>> = {
  session: (word) => /^[^\p{C}]{0,200}$/u.test(word),
  actor: isActor,
  op: (word) => /^[a-z]+(\.[a-z]+(-[a-z]+)*)+$/.test(word),
  name: (word) => /^[^\p{C}]{0,1000}$/u.test(word),
}
/** What bytes that are no text are read as: a trailer with it would never be found. */
const NO_TEXT = '\uFFFD'

const malformed = (reason: string): Malformed => ({ kind: 'malformed', reason })
const NO_HEAD = malformed(`it does not begin with "${VERSION}" and a head`)

/** The fact of a `.fact` file called `id`. */
export function parseFact(id: string, bytes: Buffer): Parsed {
  const bodyAt = bytes.indexOf('\n\n')
  const head = bodyAt < 0 ? undefined : readHead(bytes.subarray(0, bodyAt))
  if (head?.kind === 'malformed') return head
  if (head?.wrong !== undefined) return malformed(head.wrong)
  const trailer = trailerOf(head?.words)
  const isEnded = bytes.subarray(-trailer.length).equals(trailer)
  if (head === undefined) return isEnded || bytes.length > HEAD_LIMIT ? NO_HEAD : { kind: 'unfinished' }
  if (!isEnded) return { kind: 'unfinished' }
  const end = bytes.length - trailer.length
  return end < bodyAt + 2 ? malformed('it holds no value') : made(id, head.words, bytes.subarray(bodyAt + 2, end))
}

/** The facts of a `.facts` file of the process called `writer`, or of its later part. */
export function parseFacts(writer: string, bytes: Buffer): ParsedFile {
  const records: Recorded[] = []
  let start = 0
  while (start < bytes.length) {
    const bodyAt = bytes.indexOf('\n\n', start)
    if (bodyAt < 0) return { records, rest: bytes.length - start > HEAD_LIMIT ? 'malformed' : 'unfinished' }
    const head = readHead(bytes.subarray(start, bodyAt))
    const n = head.kind === 'head' ? (head.words.get('n') ?? '') : ''
    if (head.kind === 'malformed' || !NUMBER.test(n)) return { records, rest: 'malformed' }
    const trailer = trailerOf(head.words)
    const valueEnd = bytes.indexOf(trailer, bodyAt + 2)
    if (valueEnd < 0) return { records, rest: head.wrong === undefined ? 'unfinished' : 'malformed' }
    const { fact } = made(`${writer}-${n}`, head.words, bytes.subarray(bodyAt + 2, valueEnd))
    const end = valueEnd + trailer.length
    records.push({ fact, wrong: head.wrong, text: bytes.subarray(start, end), end })
    start = end
  }
  return { records, rest: 'nothing' }
}

/** What the operation of a fact is given: a name and a text, or whatever JSON the fact holds. */
export function inputOf(fact: Fact): unknown {
  // What a hook was handed may be anything: it is kept, and whoever records it makes sense of it.
  if (fact.op === 'activity.record') return { agent: fact.name, payload: fact.value.toString('utf8') }
  const text = textOf(fact)
  if (fact.op === 'output.set') return { name: fact.name, value: text }
  try {
    return parseJsonText(text)
  } catch (cause) {
    throw new EngineError('SPOOL_FACT_INVALID', `the fact ${fact.id} is for ${fact.op}, but holds no JSON`, { cause })
  }
}

/** A log is JSON and holds no other bytes than UTF-8. */
function textOf(fact: Fact): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fact.value)
  } catch (cause) {
    throw new EngineError('SPOOL_FACT_INVALID', `the value of ${JSON.stringify(fact.name)} is not UTF-8 text`, {
      hint: 'hand in such bytes as base64',
      details: { fact: fact.id },
      cause,
    })
  }
}

function readHead(head: Buffer): Head {
  if (head.length > HEAD_LIMIT) return NO_HEAD
  const [version, ...lines] = head.toString('utf8').split('\n')
  if (version !== VERSION) return NO_HEAD
  const pairs = lines.map((line) => WORD.exec(line))
  const words = new Map(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? ''] as const])))
  const wrong = Object.entries(RULES).find(([word, isRight]) => !isRight(words.get(word) ?? '\n'))
  if (words.get('until')?.includes(NO_TEXT)) return malformed('its "until" is not UTF-8 text')
  return { kind: 'head', words, wrong: wrong && `its "${wrong[0]}" is missing or not allowed` }
}

function trailerOf(words: Words | undefined): Buffer {
  const until = words?.get('until') ?? ''
  return Buffer.from(`\n${until === '' ? '#end' : until}\n`)
}

function made(id: string, words: Words, value: Buffer): Extract<Parsed, { kind: 'fact' }> {
  const word = (name: string) => words.get(name) ?? ''
  const head = { session: word('session'), actor: word('actor'), op: word('op'), name: word('name'), at: word('at') }
  return { kind: 'fact', fact: { id, ...head, value } }
}

/*
 * A fact: one file in which a shell or a hook hands in one value.
 *
 *   steadfold-fact 1
 *   session: <id, name, or empty for the active one>
 *   actor: tool:shell
 *   op: output.set
 *   name: KEY
 *   until: #end 17-4f                  optional: the trailer, for values that hold the plain one
 *
 *   <the value, byte for byte>
 *   #end
 *
 * F1. A fact is finished when its trailer is the last line; before that nothing can be said of it.
 * F2. The value is all between the empty line and the newline before the trailer.
 * F3. Words of the head that are not known are passed over, so that newer writers may add some.
 */
import { EngineError } from '../../kernel/error.ts'
import { parseJsonText } from '../../kernel/json-text.ts'

export interface Fact {
  /** File name; the idempotency key is made of it. */
  readonly file: string
  readonly session: string
  readonly actor: string
  readonly op: string
  readonly name: string
  readonly value: Buffer
}

export type Parsed =
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'malformed'; readonly reason: string }

const VERSION = 'steadfold-fact 1'
const HEAD_LIMIT = 4096
const WORD = /^([a-z]+): ?(.*)$/
const RULES: Readonly<Record<'session' | 'actor' | 'op' | 'name', RegExp>> = {
  session: /^[^\p{C}]{0,200}$/u,
  actor: /^(human|agent|tool|system):[^\p{C}]{1,200}$/u,
  op: /^[a-z]+(\.[a-z]+(-[a-z]+)*)+$/,
  name: /^[^\p{C}]{0,1000}$/u,
}

export function parseFact(file: string, bytes: Buffer): Parsed {
  const bodyAt = bytes.indexOf('\n\n')
  const words = readHead(bytes.subarray(0, bodyAt < 0 ? undefined : bodyAt))
  const until = words?.get('until') ?? ''
  const trailer = Buffer.from(`\n${until.startsWith('#end') ? until : '#end'}\n`)
  if (bytes.subarray(-trailer.length).compare(trailer) !== 0) return { kind: 'unfinished' }
  if (words === undefined || bodyAt < 0) return malformed(`it does not begin with "${VERSION}" and a head`)
  const wrong = firstWrong(words)
  if (wrong !== undefined) return malformed(`its "${wrong}" is missing or not allowed`)
  const end = bytes.length - trailer.length
  if (end < bodyAt + 2) return malformed('it holds no value')
  const word = (name: string) => words.get(name) ?? ''
  const value = bytes.subarray(bodyAt + 2, end)
  return {
    kind: 'fact',
    fact: { file, session: word('session'), actor: word('actor'), op: word('op'), name: word('name'), value },
  }
}

/** What the operation of a fact is given: a name and a text, or whatever JSON the fact holds. */
export function inputOf(fact: Fact): unknown {
  const text = textOf(fact)
  if (fact.op === 'output.set') return { name: fact.name, value: text }
  try {
    return parseJsonText(text)
  } catch (cause) {
    throw new EngineError('SPOOL_FACT_INVALID', `the fact ${fact.file} is for ${fact.op}, but holds no JSON`, { cause })
  }
}

/** A log is JSON and holds no other bytes than UTF-8. */
function textOf(fact: Fact): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fact.value)
  } catch (cause) {
    throw new EngineError('SPOOL_FACT_INVALID', `the value of ${JSON.stringify(fact.name)} is not UTF-8 text`, {
      hint: 'hand in such bytes as base64',
      details: { file: fact.file },
      cause,
    })
  }
}

function readHead(head: Buffer): ReadonlyMap<string, string> | undefined {
  if (head.length > HEAD_LIMIT) return undefined
  const [version, ...lines] = head.toString('utf8').split('\n')
  if (version !== VERSION) return undefined
  const pairs = lines.map((line) => WORD.exec(line))
  return new Map(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? ''] as const])))
}

function firstWrong(words: ReadonlyMap<string, string>): string | undefined {
  return Object.entries(RULES).find(([word, rule]) => !rule.test(words.get(word) ?? '\n'))?.[0]
}

const malformed = (reason: string): Parsed => ({ kind: 'malformed', reason })

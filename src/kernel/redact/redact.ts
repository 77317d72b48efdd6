/*
 * Secrets are taken out before anything is written.
 *
 *   line of a commit ──suspects──► no: written as it is          (nearly always; one regular expression)
 *                         └──────► the request is cleaned and decided again (stage.ts)
 *   text or bytes for a blob ────► cleaned, then stored (texts.ts)
 *   JSON that is kept as text ───► cleaned by its members (D8)
 *
 * D4. `suspects` is true of every text in which something would be found.
 * D5. Cleaning what is clean changes nothing, and answers the very same value.
 * D8. JSON stays JSON: the rules for text would take `"password:"},{"` for a name and its value.
 */
import { EngineError } from '../error.ts'
import type { Words } from '../log/line.ts'
import { isNamed, NAMED, namedIn, Names, numbersBelow, type Numbers, type Place } from './names.ts'
import { placeholder } from './placeholder.ts'
import { RULES, type Finding, type Rule } from './rules.ts'

export interface RedactionSettings {
  readonly enabled: boolean
  /** Names whose values are secrets, beside the built-in ones. */
  readonly names: readonly string[]
  /** Shapes beside the built-in ones: `{ "id": "acme", "pattern": "acme_[a-z0-9]{20}" }`. */
  readonly patterns: readonly unknown[]
  /** Ids of rules that are not applied. */
  readonly off: readonly string[]
}

/** Rule -> how often. */
export type Found = Readonly<Record<string, number>>

/** V8 interprets a regular expression before it compiles it, which takes three times as long, unless the text has so many characters. */
const COMPILED_AT_ONCE = 1000

export class Redactor {
  readonly #rules: readonly Rule[]
  readonly #names: Names
  /** Made when the first line is written. */
  #hints: readonly RegExp[] | undefined
  #patterns: readonly Pattern[] | undefined
  /** Of the last line. */
  #harmless = ''
  /** Of blobs and of JSON, until a commit tells it. */
  readonly #untold = new Map<string, Found>()

  constructor(rules: readonly Rule[], names: Names) {
    this.#rules = rules
    this.#names = names
  }

  get ruleIds(): readonly string[] {
    return [...new Set([...this.#rules.map(({ id }) => id), NAMED])]
  }

  /** D4 */
  suspects(text: string): boolean {
    const hints = (this.#hints ??= hintsOf(this.#rules, this.#names))
    return hints.some((hint) => hint.test(text))
  }

  /** D4, of a line: who asks is mostly who asked for the line before. */
  suspectsWords({ who, events }: Words): boolean {
    if (this.#harmless === '') {
      if (this.suspects((who + events).padEnd(COMPILED_AT_ONCE))) return true
      this.#harmless = who
      return false
    }
    if (who !== this.#harmless) {
      if (this.suspects(who)) return true
      this.#harmless = who
    }
    return this.suspects(events)
  }

  /** In order, none within another. */
  findings(text: string): readonly Finding[] {
    if (!this.suspects(text)) return []
    this.#patterns ??= this.#rules.map(patternOf)
    const all = this.#patterns.flatMap((pattern) => matchesOf(text, pattern))
    const found = [...all, ...namedIn(text, this.#names)].toSorted((a, b) => a.start - b.start || b.end - a.end)
    let end = 0
    return found.filter((each) => {
      if (each.start < end) return false
      end = each.end
      return true
    })
  }

  text(text: string, tally: Map<string, number>): string {
    let clean = ''
    let from = 0
    for (const { rule, start, end } of this.findings(text)) {
      clean += text.slice(from, start) + placeholder(rule)
      from = end
      count(tally, rule)
    }
    return from === 0 ? text : clean + text.slice(from)
  }

  /** D8, of what is kept as text; throws INPUT_INVALID where a rule of the settings leaves no JSON. */
  json(text: string, tally: Map<string, number>): string {
    if (this.findings(text).length === 0) return text
    const parsed = parsedOf(text)
    if (parsed === undefined) return this.text(text, tally)
    const members = JSON.stringify(this.#settled(parsed.value, tally)).replaceAll(LAST_SIGN, escaped)
    const clean = this.text(members, tally)
    if (clean === members || parsedOf(clean) !== undefined) return clean
    const rules = [...new Set(this.findings(members).map(({ rule }) => rule))].join(', ')
    throw new EngineError('INPUT_INVALID', `redaction (${rules}) would leave no JSON of what is to be kept`, {
      hint: 'let its pattern match within one text: steadfold redact rules',
    })
  }

  /** What was taken out may leave the beginning of another: of two keys in armour, the first without an end. */
  #settled(value: unknown, tally: Map<string, number>): unknown {
    const once = this.value(value, tally, 'free')
    return once === value ? once : this.#settled(once, tally)
  }

  /** Plain JSON, with its keys. */
  value(value: unknown, tally: Map<string, number>, numbers: Numbers = 'asked'): unknown {
    if (typeof value === 'string') return this.text(value, tally)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value))
      return unchangedOr(
        value,
        value.map((each) => this.value(each, tally, numbers)),
      )
    const clean = Object.entries(value).map(([key, member]): [string, unknown] => [
      this.text(key, tally),
      this.#member({ key, beside: value, numbers: numbersBelow(key, value, numbers) }, member, tally),
    ])
    const same = clean.every(([key, member]) => Object.hasOwn(value, key) && Reflect.get(value, key) === member)
    return same ? value : Object.fromEntries(clean)
  }

  /** Of a list each item is meant by its name; the members of an object have names of their own. */
  #member(place: Place, member: unknown, tally: Map<string, number>): unknown {
    if (Array.isArray(member))
      return unchangedOr(
        member,
        member.map((each) => this.#member(place, each, tally)),
      )
    const isScalar = typeof member === 'string' || typeof member === 'number'
    if (!isScalar || !isNamed(place, member, this.#names)) return this.value(member, tally, place.numbers)
    // Where a rule takes all of it, that says more.
    const text = String(member)
    const [first] = this.findings(text)
    const rule = first?.start === 0 && first.end === text.length ? first.rule : NAMED
    count(tally, rule)
    return placeholder(rule)
  }

  /** Of any encoding: every rule is about ASCII. */
  bytes(bytes: Uint8Array, session: string): Uint8Array {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const tally = new Map<string, number>()
    const clean = this.text(text, tally)
    if (tally.size === 0) return bytes
    this.tell(session, tally)
    return Buffer.from(clean, 'latin1')
  }

  /** Has the next commit of the session say what was taken out. */
  tell(session: string, tally: ReadonlyMap<string, number>): void {
    if (tally.size > 0) this.#untold.set(session, sum(this.#untold.get(session) ?? {}, Object.fromEntries(tally)))
  }

  /** What was taken out of blobs and JSON of the session, and no commit says yet. */
  untold(session: string): Found | undefined {
    return this.#untold.size === 0 ? undefined : this.#untold.get(session)
  }

  told(session: string, found: Found): void {
    // More may have come since.
    if (this.#untold.get(session) === found) this.#untold.delete(session)
  }
}

export function foundIn(value: unknown, redactor: Redactor, numbers?: Numbers): ReadonlyMap<string, number> {
  const tally = new Map<string, number>()
  redactor.value(value, tally, numbers)
  return tally
}

export function sum(a: Found, b: Found): Found {
  const all: Record<string, number> = { ...a }
  for (const [rule, n] of Object.entries(b)) all[rule] = (all[rule] ?? 0) + n
  return all
}

/**
 * Where a text of JSON ends behind the sign of a name, or in a value whose quote it does not close, or in an escape; what
 * separates members stands behind a quote of its own.
 */
const LAST_SIGN = /(?<!(?<!\\)(?:\\\\)*")[:=](?=\s?(?:\\*'(?:[^"'\\]|\\.)*|(?:\\\\)*)")/g
const escaped = (sign: string): string => `\\u00${sign.charCodeAt(0).toString(16)}`

function parsedOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const unchangedOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((each, i) => each === before[i]) ? before : after

interface Pattern {
  readonly id: string
  readonly whole: RegExp
  readonly behind: RegExp
}

const patternOf = ({ id, pattern, behind = '' }: Rule): Pattern => ({
  id,
  whole: new RegExp(pattern, 'dg'),
  behind: new RegExp(behind, 'y'),
})

function matchesOf(text: string, { id: rule, whole, behind }: Pattern): readonly Finding[] {
  const found: Finding[] = []
  whole.lastIndex = 0
  for (let match = whole.exec(text); match !== null; match = whole.exec(text)) {
    const { index, indices } = match
    behind.lastIndex = index
    if (match[0] !== '' && behind.test(text)) {
      const [start, end] = indices?.groups?.['secret'] ?? [index, index + match[0].length]
      found.push({ rule, start, end })
    } else whole.lastIndex = index + 1
  }
  return found
}

const count = (tally: Map<string, number>, rule: string): unknown => tally.set(rule, (tally.get(rule) ?? 0) + 1)

/** D2: one alternative for each character that hints end in. Names apart: together they would cost three times as much. */
function hintsOf(rules: readonly Rule[], { hint: named }: Names): readonly RegExp[] {
  const ends = new Map<string, Set<string>>()
  for (const { hint } of rules) {
    if (hint === undefined) continue
    const [before, end] = hint
    const known = ends.get(end)
    if (known === undefined) ends.set(end, new Set([before]))
    else known.add(before)
  }
  const behind = [...ends].map(([end, before]) => `${end}(?<=(?:${[...before].join('|')})${end})`)
  const own = rules.filter(({ hint }) => hint === undefined).map(({ pattern }) => pattern)
  return [behind.join('|'), named, own.join('|')].filter((source) => source !== '').map((source) => new RegExp(source))
}

const CUSTOM = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Undefined when it is turned off; throws INPUT_INVALID for what cannot be a rule. */
export function makeRedactor({ enabled, names, patterns, off }: RedactionSettings): Redactor | undefined {
  if (!enabled) return undefined
  const wrong = names.find((name) => typeof name !== 'string' || !/^[\w.-]{2,100}$/.test(name))
  if (wrong !== undefined) throw invalid('names', `${JSON.stringify(wrong)} is no name of letters, digits, _ . and -`)
  const unknown = off.find((id) => id !== NAMED && !RULES.some((rule) => rule.id === id))
  if (unknown !== undefined) throw invalid('off', `there is no rule ${JSON.stringify(unknown)}`)
  const rules = [...RULES.filter(({ id }) => !off.includes(id)), ...patterns.map(customRule)]
  return new Redactor(rules, new Names(names, !off.includes(NAMED)))
}

function customRule(given: unknown): Rule {
  const { id, pattern } = (given ?? {}) as Readonly<Record<string, unknown>>
  if (typeof id !== 'string' || !CUSTOM.test(id) || typeof pattern !== 'string' || pattern === '')
    throw invalid('patterns', `${JSON.stringify(given)} is not { "id": "acme", "pattern": "acme_[a-z0-9]{20}" }`)
  try {
    if (new RegExp(pattern).test('')) throw invalid('patterns', `"${id}" matches an empty text`)
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    throw invalid('patterns', `"${id}" is no regular expression: ${String(cause)}`)
  }
  return { id, pattern }
}

const invalid = (member: string, why: string): EngineError =>
  new EngineError('INPUT_INVALID', `config.json: redaction.${member}: ${why}`, {
    hint: 'steadfold redact rules lists the rules',
  })

/*
 * Values that are secret by their name: `"db_password": "…"`, `API_KEY=…`, or a name and a value side by side.
 *
 * D6. Of the built-in names a value counts that could be one: no variable, no placeholder, no sentence, no code. Of a
 *     configured name every text counts. A number is a value like its digits, and a list is all of its items; an object is
 *     none: its members have names of their own, and `"password": { "min_length": 1200 }` is a rule for passwords.
 * D7. What the program itself counts is no secret, whatever names are configured: tokens of leases, times, how often.
 */
import { isPlaceholder } from './placeholder.ts'
import type { Finding } from './rules.ts'

/** Of a value that has such a name, with or without something before it: DB_PASSWORD, apiKey. */
export const BUILT_IN: readonly string[] = [
  'password',
  'passwd',
  'passphrase',
  'api_key',
  'access_token',
  'refresh_token',
  'auth_token',
  'client_secret',
  'secret_key',
  'access_key',
  'private_key',
]
/** The same in few and rare letters, and what stands before them: a `key` or a `token` alone is in every other event. */
const QUICK = [
  '[pP][aA][sS][sS](?:[wW]\\w{1,4}|[pP][hH]\\w{4})',
  '[kK][eE][yY](?<=[eEiIsStT][-_]?\\w{3})',
  '[oO][kK][eE][nN](?<=[hHsS][-_]?\\w{5})',
  '[rR][eE][tT](?<=[tT][-_]?\\w{6})',
].join('|')
export const NAMED = 'named-secret'

/** Compiled on use: most commands end before they look at a name. */
export class Names {
  readonly #configured: readonly string[]
  readonly #isBuiltIn: boolean
  /** For the quick look: a name, and what stands before a value. */
  readonly hint: string
  #known: RegExp | undefined
  #own: RegExp | undefined
  #text: RegExp | undefined

  constructor(configured: readonly string[], isBuiltIn: boolean) {
    this.#configured = configured
    this.#isBuiltIn = isBuiltIn
    this.hint = `(?:${isBuiltIn ? QUICK : NEVER})${BEFORE_VALUE}${configured.map((name) => `|${loosely(name)}${BEFORE_VALUE}`).join('')}`
  }

  get #all(): string {
    return anyOf([...this.#configured, ...(this.#isBuiltIn ? BUILT_IN : [])])
  }

  /** Of the last word of a name. */
  get known(): RegExp {
    return (this.#known ??= new RegExp(`${this.#all}$`))
  }

  get configured(): RegExp {
    return (this.#own ??= new RegExp(`${anyOf(this.#configured)}$`))
  }

  /** A name with its value, in text. The next line is none: of an empty value it is another name. */
  get text(): RegExp {
    return (this.#text ??= new RegExp(
      `(?<name>${this.#all})(?:\\\\*["'])?(?<sign>\\s?[:=][^\\S\\r\\n]?)(?:${QUOTED}|(?<bare>[^\\s"'\`,;&|<>(){}[\\]\\\\]{6,4000}(?=[\\s"'\`,;&|<>)}\\]\\\\]|$)))`,
      'dg',
    ))
  }
}

/** Up to the quote that began it, escaped as it was; the other kind of quote is a character like others. */
const QUOTED = ['"', "'"]
  .map(
    (q, at) => `${q}(?!${q})(?<q${at}>[^${q}\\\\\\n]*(?:\\\\.[^${q}\\\\\\n]*)*)|\\\\+${q}(?<in${at}>[^${q}\\\\\\n]+)`,
  )
  .join('|')
const BARE = 'bare'
const VALUES: readonly string[] = ['q0', 'in0', 'q1', 'in1', BARE]

/** In JSON a name may end in a place of a list or stand behind its value, and a space may be an escape. */
const BEFORE_VALUE = `["'\\\\\\])]*(?:\\[\\d+["'\\\\\\])]*)*(?:\\s|\\\\[fnrt])?[:=,}]`
const anyOf = (names: readonly string[]): string => `(?:${names.map(loosely).join('|') || NEVER})`

export function namedIn(text: string, names: Names): readonly Finding[] {
  return [...text.matchAll(names.text)].flatMap(({ groups = {}, indices }) => {
    const { name = '', sign = '' } = groups
    const group = VALUES.find((each) => groups[each] !== undefined) ?? BARE
    const value = groups[group] ?? ''
    const isSecret = names.configured.test(name) || (isLikely(value) && (group !== BARE || isAssigned(sign, value)))
    const [start, end] = indices?.groups?.[group] ?? [0, 0]
    return isSecret && value !== '' ? [{ rule: NAMED, start, end }] : []
  })
}

/** Where a member stands. */
export interface Place {
  readonly key: string
  readonly beside: object
  readonly numbers: Numbers
}

/** D7. Whose numbers: the program's own, those a request asks with, or free ones below `$.data`. */
export type Numbers = 'own' | 'asked' | 'free'

/** Only what is set at a path is known to be free, or not. */
export function numbersBelow(key: string, beside: object, numbers: Numbers): Numbers {
  const { path } = beside as Readonly<Record<string, unknown>>
  if (numbers === 'free' || key !== 'value' || typeof path !== 'string') return numbers
  return FREE.test(path) ? 'free' : path.startsWith('$') ? 'own' : numbers
}

const FREE = /^(?:\$\.|\/)?data(?![\w-])|^\$\['data'\]/
/** Operations ask with it for what they hold. */
const FENCE = 'token'

/** Whether the member is the value of a secret: by its own name, or by the name beside it. */
export function isNamed({ key, beside, numbers }: Place, member: string | number, names: Names): boolean {
  if (typeof member === 'number' && (numbers === 'own' || (numbers === 'asked' && key === FENCE))) return false
  const value = String(member)
  if (value === '' || isPlaceholder(value)) return false
  if (/authorization$/i.test(key)) return /^(?:bearer|basic|token)\s+[^\s[]{16,}$/i.test(value)
  return (key === 'value' ? namesOf(beside) : [key]).some((name) => {
    const word = name.replace(BEHIND_NAME, '')
    return names.configured.test(word) || (names.known.test(word) && isLikely(value))
  })
}

/** `$.data['pin'][0]` */
const BEHIND_NAME = /(?:["'\\\])]|\[\d+\])+$/

const NEVER = '[]'

/** In any case, with `_`, `-` or nothing between its words. */
const loosely = (name: string): string =>
  name.replaceAll(/[^\d]/g, (c) => {
    if (/[a-z]/i.test(c)) return `[${c.toUpperCase()}${c.toLowerCase()}]`
    return /[_-]/.test(c) ? '[_-]?' : `\\${c}`
  })

function namesOf(beside: object): readonly string[] {
  const { name, path, key } = beside as Readonly<Record<string, unknown>>
  return [name, path, key].filter((each) => typeof each === 'string')
}

/** In YAML and in prose a colon is followed by words, too. */
const isAssigned = (sign: string, value: string): boolean =>
  sign === '=' ? true : /\d/.test(value) && value.length >= 8

/** D6 */
const isLikely = (value: string): boolean => value.length >= 4 && !UNLIKELY.some((pattern) => pattern.test(value))

const UNLIKELY: readonly RegExp[] = [
  /^[$<{*%[(.]/,
  /\s/,
  /\[redacted:/,
  /^[A-Z_]+$/,
  /^(?:your|my|the|some|example|change|test|dummy|fake|null|none|true|false|undefined|string|redacted|secret)/i,
  /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/,
  /password|passwd|passphrase|api_?key|_token|_secret|secret_/i,
  /^(.)\1*$/,
]

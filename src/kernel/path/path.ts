/*
 * Paths that name one place.
 *
 *   $.execution.tasks['task-1'].status      ┐
 *   execution.tasks.task-1.status           ├─►  ['execution', 'tasks', 'task-1', 'status']
 *   $['execution']["tasks"]['task-1'].status┘
 *
 * P1. A key names a member of an object, an index an element of an array; neither stands for the other.
 * P2. `__proto__`, `constructor` and `prototype` are refused as keys, and nothing is read from a prototype.
 * P3. parsePath(formatPath(keys)) gives keys.
 */
import { EngineError } from '../error.ts'
import { cachedByText } from '../text/cache.ts'

/** Object keys and array indices from the root; a negative index counts from the end and is for reading only. */
export type Keys = readonly (string | number)[]

/** Enough for those that a program writes again and again. */
const REMEMBERED = 2048
/** Paths may be as deep as values: a write makes the objects on its way. */
const DEEPEST = 128
const HYPHEN = 0x2d

/** Names outside brackets: wider than RFC 9535, so that `task-1` and `3f2a` need no quotes. */
const NAME = /[\w\u{80}-\u{d7ff}\u{e000}-\u{10ffff}][\w\-\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]*/uy
const BRACKET = /\[[ \t\r\n]*(?:(-?\d+)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")[ \t\r\n]*\]/sy
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
/** Printable ASCII but quotes and backslash. */
const NOTHING_TO_UNQUOTE = /^[ !#-&(-[\]-~]*$/
const LONE_SURROGATE = /[\ud800-\udfff]/u
const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype]
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
// oxlint-disable-next-line no-control-regex -- these are the characters that RFC 9535 escapes in a normalized path
const UNSAFE = /[\\'\u0000-\u001f\ud800-\udfff]/gu
const LETTERS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '/': '/',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

export const isForbiddenKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype'

/** The keys of a path with or without `$`; throws PATH_INVALID with the place, KEY_FORBIDDEN (P2) or VALUE_TOO_DEEP. */
export const parsePath: (text: string) => Keys = cachedByText(REMEMBERED, (text) => {
  const keys = scan(text)
  if (keys.length > DEEPEST) throw tooDeep(text, keys.length)
  for (const key of keys) if (typeof key === 'string' && isForbiddenKey(key)) throw forbidden(text)
  return Object.freeze(keys)
})

/** Whether a text names one place; a forbidden key does not change that. */
export function isSingular(text: string): boolean {
  try {
    scan(text)
    return true
  } catch {
    return false
  }
}

/** `$.data['task-1'][0]`: plain identifiers after a dot, other keys quoted as RFC 9535 normalizes them. */
export function formatPath(keys: Keys): string {
  let text = '$'
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`
    else text += PLAIN.test(key) ? `.${key}` : `['${key.replace(UNSAFE, escapeChar)}']`
  }
  return text
}

/** The value at `keys`, or undefined; reads own members only (P2). */
export function getAt(root: unknown, keys: Keys): unknown {
  let value = root
  for (const key of keys) {
    value = typeof key === 'number' ? element(value, key) : member(value, key)
    if (value === undefined) return undefined
  }
  return value
}

export type Reader = (root: unknown) => unknown

/** The reader of one path, made once for each text. */
export const compileGet: (text: string) => Reader = cachedByText(REMEMBERED, (text) => readerOf(parsePath(text)))

/** A function that does what getAt does, only faster. */
export const readerOf = (keys: Keys): Reader =>
  keys.every(isOrdinary) ? ordinaryReader(keys) : (root) => getAt(root, keys)

/** A key that no prototype, array or primitive answers to, so that it may be read without looking at what it is read from. */
export function isOrdinary(key: string | number): key is string {
  return typeof key === 'string' && !PROTOTYPES.some((prototype) => key in prototype) && !/^\d+$/.test(key)
}

interface Members {
  readonly [key: string]: Members | undefined
}

/** Written out by length: each load then has its own inline cache, which a loop would share between all keys. */
function ordinaryReader(keys: readonly string[]): Reader {
  const [a = '', b = '', c = '', d = ''] = keys
  // Any JSON value may be asked for an ordinary key; what is no object answers undefined.
  switch (keys.length) {
    case 1:
      return (root) => (root as Members | null)?.[a]
    case 2:
      return (root) => (root as Members | null)?.[a]?.[b]
    case 3:
      return (root) => (root as Members | null)?.[a]?.[b]?.[c]
    case 4:
      return (root) => (root as Members | null)?.[a]?.[b]?.[c]?.[d]
    default:
      return (root) => getAt(root, keys)
  }
}

function element(value: unknown, index: number): unknown {
  if (!Array.isArray(value)) return undefined
  return value[index < 0 ? value.length + index : index]
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // An object has members whatever they are; ownership is checked before the value is read.
  return Object.hasOwn(value, key) ? (value as Members)[key] : undefined
}

function scan(text: string): (string | number)[] {
  const keys: (string | number)[] = []
  let at = text.startsWith('$') ? 1 : 0
  if (at === 0) at = text.startsWith('[') ? 0 : readName(text, 0, keys)
  while (at < text.length) {
    if (text[at] === '.') at = readName(text, at + 1, keys)
    else at = readBracket(text, at, keys)
  }
  if (keys.length === 0 && text !== '$') throw invalid(text, 0)
  return keys
}

function readName(text: string, at: number, keys: (string | number)[]): number {
  const name = asciiName(text, at) ?? anyName(text, at)
  if (name === undefined) throw invalid(text, at)
  if (isDigit(name.charCodeAt(0)) && /^\d+$/.test(name)) {
    throw invalid(text, at, `write [${name}] for an array index or ['${name}'] for a key`)
  }
  keys.push(name)
  return at + name.length
}

/** Nearly all names; a third of the time of the regular expression. */
function asciiName(text: string, at: number): string | undefined {
  let end = at
  let char = text.charCodeAt(end)
  while (isWordChar(char) || (char === HYPHEN && end > at)) char = text.charCodeAt(++end)
  return end > at && !(char > 0x7f) ? text.slice(at, end) : undefined
}

function anyName(text: string, at: number): string | undefined {
  NAME.lastIndex = at
  return NAME.exec(text)?.[0]
}

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39

/** What `\w` matches. */
const isWordChar = (char: number): boolean =>
  (char >= 0x61 && char <= 0x7a) || (char >= 0x41 && char <= 0x5a) || isDigit(char) || char === 0x5f

function readBracket(text: string, at: number, keys: (string | number)[]): number {
  BRACKET.lastIndex = at
  const match = BRACKET.exec(text)
  if (match === null) throw invalid(text, at)
  const [whole, index, single, double] = match
  keys.push(
    index === undefined
      ? unquote(text, at, single ?? double ?? '', single === undefined ? '"' : "'")
      : readIndex(text, at, index),
  )
  return at + whole.length
}

function readIndex(text: string, at: number, digits: string): number {
  const index = Number(digits)
  if (String(index) !== digits || !Number.isSafeInteger(index)) throw invalid(text, at)
  return index
}

function unquote(text: string, at: number, quoted: string, quote: string): string {
  if (NOTHING_TO_UNQUOTE.test(quoted)) return quoted
  // oxlint-disable-next-line no-control-regex -- RFC 9535 wants control characters escaped
  if (/[\u0000-\u001f]/.test(quoted)) throw invalid(text, at, 'write control characters as escapes, such as \\n')
  const key = quoted.replace(ESCAPE, (_, hex: string | undefined, letter: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    const char = LETTERS[letter ?? '']
    if (char === undefined || (letter !== quote && (letter === "'" || letter === '"'))) throw invalid(text, at)
    return char
  })
  if (LONE_SURROGATE.test(key)) throw invalid(text, at, 'half of a surrogate pair is not a character')
  return key
}

function escapeChar(char: string): string {
  if (char === '\\' || char === "'") return `\\${char}`
  const letter = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' }[char]
  return `\\${letter ?? `u${char.charCodeAt(0).toString(16).padStart(4, '0')}`}`
}

function invalid(text: string, at: number, hint?: string): EngineError {
  const found = at < text.length ? `unexpected ${JSON.stringify(text.slice(at, at + 10))}` : 'the text ends too early'
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return new EngineError('PATH_INVALID', `${JSON.stringify(shown)} does not name one place: ${found} at ${at}`, {
    hint:
      hint ??
      "write it like $.data.topic, data.topic or $.execution.tasks['task-1'].status; queries with * or .. go to `state query`",
    details: { path: shown, position: at },
  })
}

function tooDeep(text: string, depth: number): EngineError {
  return new EngineError('VALUE_TOO_DEEP', `a path of ${depth} keys is deeper than the ${DEEPEST} allowed`, {
    details: { path: `${text.slice(0, 200)}…` },
  })
}

function forbidden(text: string): EngineError {
  return new EngineError('KEY_FORBIDDEN', `${JSON.stringify(text)} has a key that is never stored`, {
    hint: 'choose another key than __proto__, constructor or prototype',
    details: { path: text },
  })
}

import { EngineError, type ErrorCode } from '../error.ts'

const TOKEN = /[[\]{}:,]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** What may come next: a value, a member's key, what follows a value, or a value or key right behind an opening bracket. */
type Expected = 'value' | 'key' | 'colon' | 'end' | 'first-value' | 'first-key'

interface Scan {
  readonly text: string
  /** The keys of each open object, undefined for each open array. */
  readonly open: (Set<string> | undefined)[]
  expected: Expected
}

/** Throws JSON_INVALID or KEY_DUPLICATE with the line and column; returns when neither is there. Without recursion. */
export function locateFault(text: string): void {
  const scan: Scan = { text, open: [], expected: 'value' }
  let token = next(text, 0)
  while (token !== undefined) {
    accept(scan, token)
    token = next(text, token.end)
  }
  if (scan.expected !== 'end' || scan.open.length > 0) fail(text, text.length, 'the text ends too early')
}

/** `line:column`, both from 1; columns count UTF-16 units. */
export function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

function next(text: string, from: number): Token | undefined {
  let start = from
  while (/^[ \t\r\n]$/.test(text.charAt(start))) start++
  if (start >= text.length) return undefined
  if (text[start] === '"') return readString(text, start)
  TOKEN.lastIndex = start
  const found = TOKEN.exec(text)?.[0]
  if (found === undefined) fail(text, start, unexpected(text, start))
  return { text: found, start, end: start + found.length }
}

function readString(text: string, start: number): Token {
  let i = start + 1
  while (text[i] !== '"') {
    if (i >= text.length) fail(text, start, 'the string that begins here is not closed')
    if (text.charCodeAt(i) < 0x20) fail(text, i, 'a control character must be written as an escape')
    if (text[i] === '\\') i = escapeEnd(text, i)
    else i++
  }
  return { text: text.slice(start, i + 1), start, end: i + 1 }
}

function escapeEnd(text: string, start: number): number {
  ESCAPE.lastIndex = start
  if (!ESCAPE.test(text)) fail(text, start, 'unknown escape')
  return ESCAPE.lastIndex
}

function accept(scan: Scan, token: Token): void {
  switch (scan.expected) {
    case 'first-value':
      return token.text === ']' ? close(scan) : acceptValue(scan, token)
    case 'value':
      return acceptValue(scan, token)
    case 'first-key':
      return token.text === '}' ? close(scan) : acceptKey(scan, token)
    case 'key':
      return acceptKey(scan, token)
    case 'colon':
      if (token.text !== ':') fail(scan.text, token.start, unexpected(scan.text, token.start))
      scan.expected = 'value'
      return
    case 'end':
      return acceptEnd(scan, token)
  }
}

function acceptValue(scan: Scan, token: Token): void {
  if (']}:,'.includes(token.text)) fail(scan.text, token.start, unexpected(scan.text, token.start))
  if (token.text === '{') {
    scan.open.push(new Set())
    scan.expected = 'first-key'
  } else if (token.text === '[') {
    scan.open.push(undefined)
    scan.expected = 'first-value'
  } else scan.expected = 'end'
}

function acceptKey(scan: Scan, token: Token): void {
  const keys = scan.open.at(-1)
  if (!token.text.startsWith('"') || keys === undefined)
    fail(scan.text, token.start, unexpected(scan.text, token.start))
  // A string token is the text of a JSON string.
  const key = JSON.parse(token.text) as string
  if (keys.has(key))
    fail(scan.text, token.start, `the key ${token.text.slice(0, 100)} occurs twice in one object`, 'KEY_DUPLICATE')
  keys.add(key)
  scan.expected = 'colon'
}

function acceptEnd(scan: Scan, token: Token): void {
  const inside = scan.open.length === 0 ? '' : scan.open.at(-1) === undefined ? '[' : '{'
  if (token.text === ',' && inside !== '') scan.expected = inside === '[' ? 'value' : 'key'
  else if ((token.text === ']' && inside === '[') || (token.text === '}' && inside === '{')) close(scan)
  else fail(scan.text, token.start, unexpected(scan.text, token.start))
}

function close(scan: Scan): void {
  scan.open.pop()
  scan.expected = 'end'
}

const unexpected = (text: string, at: number): string =>
  `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}`

function fail(text: string, offset: number, what: string, code: ErrorCode = 'JSON_INVALID'): never {
  const where = place(text, offset)
  throw new EngineError(code, `${what} at ${where}`, {
    hint: code === 'KEY_DUPLICATE' ? 'keep one of the two members' : 'correct the text there, or pass it as a string',
    details: { place: where },
  })
}

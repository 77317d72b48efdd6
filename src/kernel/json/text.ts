/*
 * JSON text from outside: read only if what is stored means exactly what was written.
 *
 *   text ──JSON.parse──► value ──checkJson──► value
 *     └──scan──► numbers, count of members ──┘ compared
 *
 * T1. Numbers that a double changes are refused, with NUMBER_NOT_EXACT.
 * T2. A key that occurs twice is refused: the text has more members than the value.
 * T3. What fails is read again by a slow scanner, only to say where.
 */
import { EngineError } from '../error.ts'
import { checkJson } from './json.ts'
import { survives } from './number.ts'
import { JSON_LIMITS, type JsonLimits } from './rules.ts'
import { locateFault, place } from './scan.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const MINUS = 0x2d
const BYTE_ORDER_MARK = 0xfeff

/**
 * The value of a JSON text. Throws JSON_INVALID (with line:column), NUMBER_NOT_EXACT, KEY_DUPLICATE, KEY_FORBIDDEN,
 * VALUE_NOT_JSON (half of a surrogate pair), VALUE_TOO_DEEP or VALUE_TOO_LARGE.
 */
export function parseJsonText(text: string, limits: JsonLimits = JSON_LIMITS): unknown {
  if (text.length > limits.size) throw tooLarge(text, limits)
  const value = parse(text)
  const members = scan(text)
  checkJson(value, limits)
  if (countMembers(value) !== members) locateFault(text)
  return value
}

function parse(text: string): unknown {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) throw byteOrderMark()
  try {
    return JSON.parse(text)
  } catch (cause) {
    locateFault(text)
    throw new EngineError('JSON_INVALID', 'the text is not JSON', { cause })
  }
}

/** Checks the numbers (T1) of a text that JSON.parse accepted and counts its members. */
function scan(text: string): number {
  let members = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === QUOTE) i = closingQuote(text, i)
    else if (char === COLON) members++
    else if (char === MINUS || isDigit(char)) i = numberEnd(text, i) - 1
  }
  return members
}

function closingQuote(text: string, open: number): number {
  let i = open + 1
  for (let char = text.charCodeAt(i); char !== QUOTE; char = text.charCodeAt(i)) i += char === BACKSLASH ? 2 : 1
  return i
}

function numberEnd(text: string, start: number): number {
  let end = start + 1
  while (isNumberChar(text.charCodeAt(end))) end++
  const literal = text.slice(start, end)
  if (!survives(literal)) throw notExact(text, start, literal)
  return end
}

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39

/** Digits, `.`, `+`, `-`, `e` and `E`. */
const isNumberChar = (char: number): boolean =>
  isDigit(char) || char === 0x2e || char === 0x2b || char === MINUS || char === 0x65 || char === 0x45

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = Array.isArray(value) ? 0 : items.length
  for (const item of items) count += countMembers(item)
  return count
}

function notExact(text: string, offset: number, literal: string): EngineError {
  const shown = literal.length > 60 ? `${literal.slice(0, 60)}…` : literal
  const stored = String(Number(literal))
  return new EngineError('NUMBER_NOT_EXACT', `the number ${shown} at ${place(text, offset)} would become ${stored}`, {
    hint: 'write it as a string, or with the digits that a double keeps',
    details: { place: place(text, offset) },
  })
}

function byteOrderMark(): EngineError {
  return new EngineError('JSON_INVALID', 'the text begins with a byte order mark at 1:1', {
    hint: 'save it as UTF-8 without a byte order mark',
    details: { place: '1:1' },
  })
}

function tooLarge(text: string, limits: JsonLimits): EngineError {
  return new EngineError('VALUE_TOO_LARGE', `the text has ${text.length} characters; ${limits.size} are allowed`, {
    hint: 'store large content in a file or a blob and keep its path here',
  })
}

/*
 * A commit is one line of UTF-8 JSON; line.ts makes its text.
 *
 *   {"v":1,"seq":…, … ,"prev":"<64 hex>","hash":"<64 hex>"}\n
 *   └────────── hashed, closed by a brace ──────┘
 *
 * C1. `hash` is the last member: the SHA-256 of the line without it.
 * C2. Checking needs no JSON parser: `seq` stands at byte 13, `prev` and `hash` at fixed distances from the end.
 */
import type { Host } from '../ports.ts'

/** `,"hash":"` + 64 hex digits + `"}`. */
export const HASH_MEMBER = 75
const HASH_KEY = Buffer.from(',"hash":"', 'latin1')
/** `,"prev":"` + 64 hex digits + `"`. */
export const PREV_MEMBER = 74
/** What every line of this version begins with. */
export const LINE_HEAD = Buffer.from('{"v":1,"seq":', 'latin1')
const SEQ_START = LINE_HEAD.length
const MIN_LINE = SEQ_START + PREV_MEMBER + HASH_MEMBER
const BRACE = 0x7d
const QUOTE = 0x22
const ZERO = 0x30

/** What the chain rules need of a line; everything else stays bytes. */
export interface Link {
  readonly seq: number
  readonly prev: string
  readonly hash: string
}

/** The link of the line `bytes[start..end)` (newline not included), or undefined when it does not check (C1). */
export function checkLine(bytes: Buffer, start: number, end: number, sha256: Host['sha256']): Link | undefined {
  if (!hasShape(bytes, start, end)) return undefined
  const cut = end - HASH_MEMBER
  const stated = bytes.toString('latin1', end - 66, end - 2)
  // The hashed text ends in a brace where the hash member begins: borrow that byte instead of copying the line.
  const borrowed = bytes[cut] ?? 0
  bytes[cut] = BRACE
  const hash = sha256(bytes.subarray(start, cut + 1))
  bytes[cut] = borrowed
  return hash === stated ? linkOf(bytes, start, end) : undefined
}

/** The link that a line states which is known to check. */
export function linkOf(bytes: Buffer, start: number, end: number): Link {
  const cut = end - HASH_MEMBER
  return {
    seq: readSeq(bytes, start + SEQ_START),
    prev: bytes.toString('latin1', cut - 65, cut - 1),
    hash: bytes.toString('latin1', end - 66, end - 2),
  }
}

/** A whole line that would be the commit behind `seq` and `hash`, had it the hash of its bytes: no write that was torn leaves one. */
export function isAltered(bytes: Buffer, start: number, end: number, { seq, hash }: Omit<Link, 'prev'>): boolean {
  if (!hasShape(bytes, start, end) || readSeq(bytes, start + SEQ_START) !== seq + 1) return false
  const cut = end - HASH_MEMBER
  if (bytes.toString('latin1', cut - 65, cut - 1) !== hash) return false
  try {
    JSON.parse(bytes.toString('utf8', start, end))
    return true
  } catch {
    return false
  }
}

/** The version, and what the hash does not cover, must be exactly so; the rest is proven by the hash. */
function hasShape(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < MIN_LINE || bytes[end - 1] !== BRACE || bytes[end - 2] !== QUOTE) return false
  // The first commit is 1, and JSON has no number that begins with a zero.
  if (bytes[start + SEQ_START] === ZERO) return false
  return stands(LINE_HEAD, bytes, start) && stands(HASH_KEY, bytes, end - HASH_MEMBER)
}

function stands(what: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = 0; i < what.length; i++) if (bytes[at + i] !== what[i]) return false
  return true
}

function readSeq(bytes: Buffer, from: number): number {
  let seq = 0
  for (let i = from; ; i++) {
    const digit = (bytes[i] ?? 0) - 48
    if (digit < 0 || digit > 9) return seq
    seq = seq * 10 + digit
  }
}

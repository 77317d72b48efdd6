import { randomHex as drawn } from './random.ts'

/** A short command asks for one id. */
const FIRST_BYTES = 64
const POOL_BYTES = 4096
const VARIANTS = '89ab'
let pool = ''
let used = 0
let lastMs = 0
let time = ''
let counter = 0

/**
 * UUID version 7 (RFC 9562, method 1): 48 bits of milliseconds, 12 bits of counter, 62 random bits.
 * Ids of one process grow. Random digits are drawn a pool at a time: asking for 16 costs ten times the rest.
 */
export function uuid7(now: number): string {
  if (now > lastMs) begin(now)
  else if (++counter > 0xfff) begin(lastMs + 1)
  const random = randomHex()
  // Variant bits 10: the first digit is 8, 9, a or b.
  const variant = VARIANTS[Number.parseInt(random.charAt(0), 16) & 3] ?? '8'
  const count = counter < 0x10 ? `00${counter.toString(16)}` : counter.toString(16).padStart(3, '0')
  return `${time}-7${count}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
}

function begin(ms: number): void {
  lastMs = ms
  counter = 0
  const hex = ms.toString(16).padStart(12, '0')
  time = `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** 16 hex digits. */
function randomHex(): string {
  if (used === pool.length) {
    pool = drawn(pool === '' ? FIRST_BYTES : POOL_BYTES)
    used = 0
  }
  used += 16
  return pool.slice(used - 16, used)
}

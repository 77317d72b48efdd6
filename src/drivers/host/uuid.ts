import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(16 * 256)
let used = pool.length
let lastMs = 0
let counter = 0

/**
 * UUID version 7 (RFC 9562, method 1): 48 bits of milliseconds, 12 bits of counter, 62 random bits.
 * Ids of one process grow. Random bytes are drawn a pool at a time: asking for 16 costs ten times the rest.
 */
export function uuid7(now: number): string {
  if (now > lastMs) {
    lastMs = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastMs++
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const random = randomHex()
  // Variant bits 10: the first digit is 8, 9, a or b.
  const variant = (8 + (Number.parseInt(random[0] ?? '0', 16) & 3)).toString(16)
  const low = `7${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${low}`
}

/** 16 hex digits. */
function randomHex(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 8
  return pool.toString('hex', used - 8, used)
}

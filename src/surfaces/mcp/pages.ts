/*
 * Pages of lists.
 *
 * P1. All pages show the list as it was at one commit: what comes in between shifts nothing.
 * P2. A cursor is opaque; one that was not given out is refused.
 */
import { EngineError } from '../../kernel/error.ts'

const SIZE = 50

export interface Place {
  readonly seq: number
  readonly from: number
}

export interface Page {
  readonly items: readonly unknown[]
  readonly total: number
  readonly next_cursor?: string
}

export function pageOf(all: readonly unknown[], { seq, from }: Place, size = SIZE): Page {
  const items = all.slice(from, from + size)
  const next = from + items.length
  return { items, total: all.length, ...(next < all.length ? { next_cursor: cursorOf({ seq, from: next }) } : {}) }
}

const cursorOf = ({ seq, from }: Place): string => Buffer.from(`${seq}.${from}`).toString('base64url')

/** Throws INPUT_INVALID. */
export function placeOf(cursor: string): Place {
  const [, seq, from] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (seq !== undefined && from !== undefined) return { seq: Number(seq), from: Number(from) }
  throw new EngineError('INPUT_INVALID', `${JSON.stringify(cursor.slice(0, 80))} is not a cursor of this list`, {
    hint: 'leave the cursor out to begin with the first page',
  })
}

/*
 * Rows into the columns that a terminal has room for.
 *
 * F1. What names a thing is shown whole, even where a line then is wider than asked.
 * F2. What does not fit is made narrower first, the widest before the others, and left out only then: the highest rank
 *     first, and of equal ones the last.
 * F3. What is left out is told.
 * F4. Where there is no terminal nothing is narrower or left out, and a long cell does not push those of other rows.
 */
import { columns, cut, widthOf } from './text.ts'

export interface Column {
  readonly name: string
  /** Aligned to the right. */
  readonly right?: boolean
  /** As narrow as this where it must be; not narrower than it is when left out. */
  readonly least?: number
  /** The higher, the sooner it is left out; never when there is none (F1). */
  readonly rank?: number
}

export interface Fitted {
  readonly lines: readonly string[]
  /** Names of columns that found no room (F3). */
  readonly missing: readonly string[]
}

const GAP = 2
/** Of what is not fitted into a terminal, cells longer than this stand where they do (F4). */
const ALIGNED = 60

interface Sized extends Column {
  readonly at: number
  readonly width: number
}

export function fit(rows: readonly (readonly string[])[], all: readonly Column[], width: number): Fitted {
  const sized = all.map((column, at): Sized => ({
    ...column,
    at,
    width: Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))),
  }))
  const kept = enough(sized, width)
  const shown = narrowed(kept, width)
  const right = shown.flatMap((column, i) => (column.right === true ? [i] : []))
  return {
    lines: columns(
      rows.map((row) => shown.map((column) => cut(row[column.at] ?? '', column.width))),
      { right, aligned: width === Infinity ? ALIGNED : Infinity },
    ),
    missing: sized.filter((column) => !kept.includes(column)).map(({ name }) => name),
  }
}

/** F3: as a last line, or none. */
export const leftOut = (missing: readonly string[]): readonly string[] =>
  missing.length === 0 ? [] : [`not shown: ${missing.join(', ')}; --json has all`]

/** F2: what may stay when everything is as narrow as it can be. */
function enough(sized: readonly Sized[], width: number): readonly Sized[] {
  const narrowest = sized.map((column) => ({ ...column, width: leastOf(column) }))
  if (total(narrowest) <= width) return sized
  const first = sized.reduce<Sized | undefined>(
    (worst, column) => (column.rank !== undefined && column.rank >= (worst?.rank ?? -1) ? column : worst),
    undefined,
  )
  return first === undefined
    ? sized
    : enough(
        sized.filter((column) => column !== first),
        width,
      )
}

function narrowed(sized: readonly Sized[], width: number): readonly Sized[] {
  const over = total(sized) - width
  const widest = sized
    .filter((column) => column.width > leastOf(column))
    .toSorted((a, b) => b.width - a.width)
    .at(0)
  if (over <= 0 || widest === undefined) return sized
  const less = Math.max(leastOf(widest), widest.width - over)
  return narrowed(
    sized.map((column) => (column === widest ? { ...column, width: less } : column)),
    width,
  )
}

const leastOf = ({ least = Infinity, width }: Sized): number => Math.min(least, width)

const total = (sized: readonly Sized[]): number =>
  sized.reduce((sum, { width }) => sum + width, 0) + GAP * Math.max(0, sized.length - 1)

/*
 * Files that two who work at the same time both claim.
 *
 * F1. Claims are paths and patterns as in `inputs`: `*`, `?` and `[ab]` stay inside a folder, `**` does not, `{a,b}` is either; a
 *     folder claims all below it.
 * F2. Two clash when some path could be meant by both, and neither has to wait for the other.
 */
import { leadsTo, type Needing } from './graph.ts'

export interface Claimer extends Needing {
  readonly files: readonly string[]
  /** Those of another lane work at another time. */
  readonly lane?: string | undefined
}

export interface Clash {
  readonly first: string
  readonly second: string
  readonly file: string
  /** As the second names it. */
  readonly other: string
}

interface Claim {
  readonly claimer: Claimer
  readonly file: string
  readonly segments: readonly string[]
  /** Everything before the first wildcard. */
  readonly fixed: string
  readonly isFixed: boolean
}

/** The first clash, in the order of the claimers. */
export function firstClash(claimers: readonly Claimer[]): Clash | undefined {
  const needs = new Map(claimers.map((claimer) => [claimer.name, claimer.needs]))
  const needsOf = (name: string) => needs.get(name) ?? []
  const before: Claim[] = []
  for (const claimer of claimers) {
    const own = claimer.files.flatMap((file) => either(file).map((one) => claimOf(claimer, file, one)))
    for (const claim of own) {
      const clash = before.find((other) => both(other, claim) && atOnce(other.claimer, claimer, needsOf))
      if (clash !== undefined)
        return { first: clash.claimer.name, second: claimer.name, file: clash.file, other: claim.file }
    }
    before.push(...own)
  }
  return undefined
}

/** Whether some path could be meant by both. */
export const overlaps = (a: string, b: string): boolean => {
  const nobody: Claimer = { name: '', needs: [], files: [] }
  return either(a).some((one) => either(b).some((other) => both(claimOf(nobody, a, one), claimOf(nobody, b, other))))
}

function atOnce(a: Claimer, b: Claimer, needsOf: (name: string) => readonly string[]): boolean {
  return a.lane === b.lane && !leadsTo(a.name, b.name, needsOf) && !leadsTo(b.name, a.name, needsOf)
}

/** `{a,b}` as two, `[ab]` as any letter. More than 64 are taken as any text. */
function either(pattern: string): readonly string[] {
  let all = [pattern.replaceAll(/\[[^\]/]+\]/g, '?')]
  for (let found = BRACES.exec(all[0] ?? ''); found !== null; found = BRACES.exec(all[0] ?? '')) {
    const many = all.flatMap((one) =>
      (BRACES.exec(one)?.[1] ?? '').split(',').map((part) => one.replace(BRACES, () => part)),
    )
    all = many.length <= MOST_EITHER ? many : all.map((one) => one.replaceAll(ALL_BRACES, '*'))
  }
  return all
}

const MOST_EITHER = 64
const BRACES = /\{([^{}]*)\}/
const ALL_BRACES = /\{[^{}]*\}/g

function claimOf(claimer: Claimer, file: string, pattern: string): Claim {
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.')
  const path = segments.join('/')
  const wild = path.search(/[*?]/)
  return { claimer, file, segments, fixed: wild < 0 ? path : path.slice(0, wild), isFixed: wild < 0 }
}

function both(a: Claim, b: Claim): boolean {
  const [short, long] = a.fixed.length <= b.fixed.length ? [a, b] : [b, a]
  // Most claims end here: texts that begin differently mean different paths.
  if (!long.fixed.startsWith(short.fixed)) return false
  if (a.isFixed && b.isFixed)
    return long.fixed.length === short.fixed.length || short.fixed === '' || long.fixed[short.fixed.length] === '/'
  return meet([...a.segments, '**'], [...b.segments, '**'], '**', (x, y) =>
    meet(Array.from(x), Array.from(y), '*', sameLetter),
  )
}

const sameLetter = (a: string, b: string): boolean => a === b || a === '?' || b === '?'

/** Whether two sequences could be one: `star` stands for any run of items. */
function meet(
  a: readonly string[],
  b: readonly string[],
  star: string,
  same: (a: string, b: string) => boolean,
): boolean {
  // Row i, column j: whether the rest of `a` from i on meets the rest of `b` from j on.
  let below = ends(b, star)
  for (let i = a.length - 1; i >= 0; i--) {
    const item = a[i] ?? ''
    const row: boolean[] = Array.from({ length: b.length + 1 }, () => false)
    row[b.length] = item === star && (below[b.length] ?? false)
    for (let j = b.length - 1; j >= 0; j--) {
      const other = b[j] ?? ''
      row[j] =
        item === star || other === star
          ? (below[j] ?? false) || (row[j + 1] ?? false)
          : same(item, other) && (below[j + 1] ?? false)
    }
    below = row
  }
  return below[0] ?? false
}

/** What meets nothing at all: only stars to the end. */
function ends(b: readonly string[], star: string): readonly boolean[] {
  const row: boolean[] = [...b.map(() => false), true]
  for (let j = b.length - 1; j >= 0 && b[j] === star; j--) row[j] = true
  return row
}

/* Looking into values of which nothing is known yet. */
import { isMembers, membersOf, type Members } from '../../kernel/json/members.ts'
import { isDeeper } from '../../kernel/json/rules.ts'
import { inUtc } from '../../kernel/text/utc.ts'

export { lineOf } from '../../kernel/text/whole.ts'
export { isMembers, membersOf, type Members }

export const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] => Object.entries(membersOf(value))

/** The items of a list; none of anything else. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsOf = (value: unknown): readonly string[] => itemsOf(value).filter((each) => typeof each === 'string')

/** The first that is a text with something in it. */
export const textOf = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '')

/** A name, also where it is written as a number. */
export const nameOf = (value: unknown): string | undefined =>
  Number.isSafeInteger(value) ? String(value) : textOf(value)

/** What a table says of a word that a file has chosen: nothing of "constructor". */
export const saidOf = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/

/** A time in UTC; one without a zone is taken as such. Undefined for what is no time. */
export function momentOf(value: unknown): string | undefined {
  const at = typeof value === 'string' && MOMENT.test(value) ? Date.parse(inUtc(value)) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

export interface Lines {
  readonly objects: readonly Members[]
  /** Lines that are no JSON object. */
  readonly problems: readonly string[]
}

export const NOTHING: Lines = { objects: [], problems: [] }

/** A file with one JSON object a line; undefined where its first line is none that `fits`. */
export function linesOf(text: string, fits: (object: Members) => boolean): Lines | undefined {
  const lines = text.split('\n').map((line, at) => [at + 1, line.trim()] as const)
  const values = lines.filter(([, line]) => line !== '').map(([at, line]) => [at, valueIn(line)] as const)
  const objects = values
    .map(([, value]) => value)
    .filter(isMembers)
    .filter(fits)
  if (objects[0] === undefined || objects[0] !== values[0]?.[1]) return undefined
  const others = values.filter(([, value]) => !(isMembers(value) && fits(value)))
  const problems = others.map(([at, value]) =>
    value === undefined
      ? `line ${at} is no JSON: it was cut off, or is something else`
      : `line ${at} is something else`,
  )
  return { objects, problems }
}

/** Undefined of what is nested deeper than can be kept, too. */
export function valueIn(line: string): unknown {
  const value = parsed(line)
  return isDeeper(value) ? undefined : value
}

export function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The last part of a path, without its ending. */
export const stemOf = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.[A-Za-z0-9]{1,8}$/, '')

/** An id of the form `kind-a-z0-9`, that no other text of `used` has. */
export function idOf(kind: string, text: string, used: Map<string, string>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80)
  const first = slug.startsWith(`${kind}-`) ? slug : `${kind}-${slug === '' ? 'unnamed' : slug}`
  for (let id = first, n = 2; ; id = `${first}-${n++}`) {
    const owner = used.get(id)
    if (owner !== undefined && owner !== text) continue
    used.set(id, text)
    return id
  }
}

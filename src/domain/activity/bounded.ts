/* Y3: a payload from outside, made small enough to keep and safe to store. */
import { isForbiddenKey } from '../../kernel/path/path.ts'
import { whole } from '../../kernel/text/whole.ts'

const DEEPEST = 8
const LONGEST_TEXT = 2000
const MOST_MEMBERS = 50
const LONGEST_KEY = 200
/** Of all texts in it together. */
const MOST_CHARACTERS = 16_000

/** What is cut says so. */
export function bounded(value: unknown): unknown {
  return keepValue(value, 0, { left: MOST_CHARACTERS })
}

/** Well-formed, on one line, at most `length` characters. */
export function line(text: string, length: number): string {
  const flat = wellFormed(text.slice(0, 4 * length))
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return flat.length > length ? `${whole(flat, length - 1)}…` : flat
}

interface Budget {
  left: number
}

function keepValue(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return keepText(value, budget)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST || budget.left <= 0) return '…'
  if (Array.isArray(value)) return keepList(value, depth, budget)
  return keepMembers(value, depth, budget)
}

function keepText(text: string, budget: Budget): string {
  const length = Math.min(LONGEST_TEXT, Math.max(0, budget.left))
  budget.left -= Math.min(text.length, length)
  const kept = wellFormed(text.slice(0, length))
  return text.length > length ? `${kept}… (${text.length - length} more characters)` : kept
}

function keepList(list: readonly unknown[], depth: number, budget: Budget): unknown {
  const kept = list.slice(0, MOST_MEMBERS).map((each) => keepValue(each, depth + 1, budget))
  return list.length > MOST_MEMBERS ? [...kept, `… (${list.length - MOST_MEMBERS} more)`] : kept
}

function keepMembers(members: object, depth: number, budget: Budget): unknown {
  const all = Object.entries(members).filter(([key]) => !isForbiddenKey(key) && key.length <= LONGEST_KEY)
  const kept = all.slice(0, MOST_MEMBERS).map(([key, each]) => {
    budget.left -= key.length
    return [wellFormed(key), keepValue(each, depth + 1, budget)] as const
  })
  const more = all.length - kept.length
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more members`]] : kept)
}

/** A half of a surrogate pair is no text. */
const wellFormed = (text: string): string =>
  text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')

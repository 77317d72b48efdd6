/* What a file looks like that is of no kind: for whoever wonders why. */
import { asError } from '../../kernel/error.ts'
import type { Source } from '../../kernel/exchange/importer.ts'
import { parseJsonText } from '../../kernel/json/text.ts'
import { isMembers, lineOf, linesOf, parsed } from './members.ts'

const MOST_NAMES = 6

export function shapeOf({ text, value }: Source): string {
  if (text.trim() === '') return 'it is empty'
  if (value === undefined) return unreadShape(text)
  if (Array.isArray(value))
    return `a JSON list of ${value.length}${isMembers(value[0]) ? `, first with ${namesOf(Object.keys(value[0]))}` : ''}`
  if (isMembers(value)) return `a JSON object with ${namesOf(Object.keys(value))}`
  return 'a single JSON value'
}

function unreadShape(text: string): string {
  if (parsed(text) !== undefined) return `JSON that cannot be kept as it is: ${refusalOf(text)}`
  const { objects: [first] = [] } = linesOf(text, () => true) ?? {}
  return first === undefined ? 'it is no JSON' : `JSON lines, first with ${namesOf(Object.keys(first))}`
}

function refusalOf(text: string): string {
  try {
    parseJsonText(text)
    return ''
  } catch (error) {
    return lineOf(asError(error).message, 200)
  }
}

/** The first of them, and how many there are besides. */
export function namesOf(names: readonly string[]): string {
  if (names.length === 0) return 'nothing in it'
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return (
    names
      .slice(0, MOST_NAMES)
      .map((each) => lineOf(each, 60))
      .join(', ') + more
  )
}

import { Visitor } from 'oxc-parser'
import { parse } from './imports.ts'

/** Objects of another realm, as under Jest, are no children of these; `isError`, `asError` and `errnoOf` know them. */
const ERRORS = new Set(['Error', 'AggregateError', 'DOMException'])

/** Where the one place is that may ask the language. */
const ASKER = 'src/kernel/error.ts'

/** What a file asks of an error that only holds in its own realm. */
export function realms(file: string, text: string): readonly string[] {
  if (file === ASKER) return []
  const found: string[] = []
  new Visitor({
    BinaryExpression: ({ operator, right }) => {
      if (operator === 'instanceof' && right.type === 'Identifier' && ERRORS.has(right.name)) {
        found.push(`instanceof ${right.name}`)
      }
    },
  }).visit(parse(file, text))
  return found
}

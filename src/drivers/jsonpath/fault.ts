import { JSONPathError } from 'json-p3'
import { EngineError, isError } from '../../kernel/error.ts'

const HINT =
  "quote names with other characters than letters, digits, _ and -, such as $.tasks['a.b'][?@.status == 'open']"

/** QUERY_INVALID for what parsing threw; `shift` is how far the parsed text was moved against the given one. */
export function queryFault(text: string, shift: number, cause: unknown): EngineError {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  const position = cause instanceof JSONPathError ? Math.max(0, cause.token.index - shift) : undefined
  const where = position === undefined ? '' : ` at ${position}`
  return new EngineError('QUERY_INVALID', `${JSON.stringify(shown)} is not a query: ${reason(cause)}${where}`, {
    hint: HINT,
    details: { query: shown, ...(position === undefined ? {} : { position }) },
    cause,
  })
}

function reason(cause: unknown): string {
  if (cause instanceof RangeError) return 'it is too deeply nested'
  // json-p3 ends its messages with an excerpt and the position in the text that it was given.
  return isError(cause) ? cause.message.replace(/ \('.*':\d+\)$/s, '') : String(cause)
}

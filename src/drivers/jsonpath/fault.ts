import { JSONPathError } from 'json-p3'
import { EngineError } from '../../kernel/error.ts'

const HINT =
  "quote names with other characters than letters, digits, _ and -, such as $.tasks['a.b'][?@.status == 'open']"

/** QUERY_INVALID for what json-p3 threw; `shift` is how far the parsed text was moved against the given one. */
export function queryFault(text: string, shift: number, cause: unknown): EngineError {
  const position = cause instanceof JSONPathError ? Math.max(0, cause.token.index - shift) : undefined
  const reason =
    cause instanceof JSONPathError ? cause.message.replace(/ \('.*':\d+\)$/s, '') : 'it is too deeply nested'
  return queryInvalid(text, position, reason, cause)
}

export function queryInvalid(text: string, position: number | undefined, reason: string, cause?: unknown): EngineError {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  const where = position === undefined ? '' : ` at ${position}`
  return new EngineError('QUERY_INVALID', `${JSON.stringify(shown)} is not a query: ${reason}${where}`, {
    hint: HINT,
    details: { query: shown, ...(position === undefined ? {} : { position }) },
    cause,
  })
}

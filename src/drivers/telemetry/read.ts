/** Members of JSON whose types belong to others: what is not there, or something else, reads as nothing. */

type Members = Readonly<Record<string, unknown>>

export function members(value: unknown): Members {
  // An object of JSON is a record of unknown members.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

export function textIn(value: unknown, name: string): string | undefined {
  const member = members(value)[name]
  return typeof member === 'string' ? member : undefined
}

export function numberIn(value: unknown, name: string): number | undefined {
  const member = members(value)[name]
  return typeof member === 'number' ? member : undefined
}

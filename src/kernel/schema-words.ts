/*
 * What a schema says of input that does not fit it, where it has no words of its own.
 *
 * The schema library says little without its translations, which would be most of a small program, and something else
 * where anybody in the process has loaded them: so these are given with each parse.
 */
import type * as z from 'zod/mini'

export function schemaWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return `must be ${aOrAn(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`
  if (issue.code === 'unrecognized_keys') return `does not know ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_union') return issue.input === undefined ? 'is missing' : undefined
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}${unitOf(issue.origin)}` : undefined
}

const aOrAn = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' long' : ''
}

import type * as z from 'zod/mini'
import { refuse, type Operation, type Refusal } from './operation.ts'

export type Parsed = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly refusal: Refusal }

/** Input from outside, checked once against the operation's schema. */
export function parseInput(operation: Operation, input: unknown): Parsed {
  const parsed = operation.input.safeParse(input)
  if (parsed.success) return { ok: true, input: parsed.data }
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: wordsFor(issue) }))
  const first = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return {
    ok: false,
    refusal: refuse('INPUT_INVALID', `${operation.name}: ${first}`, {
      hint: `steadfold schema ${operation.name} shows what it takes`,
      details: { issues },
    }),
  }
}

const UNSAID = 'Invalid input'

/** The schema library says little without its translations, which would be most of a small program. */
function wordsFor(issue: z.core.$ZodIssue): string {
  if (issue.message !== UNSAID) return issue.message
  if (issue.code === 'invalid_type') return `must be ${aOrAn(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`
  if (issue.code === 'unrecognized_keys') return `does not know ${issue.keys.join(', ')}`
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}${unitOf(issue.origin)}` : issue.message
}

const aOrAn = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' long' : ''
}

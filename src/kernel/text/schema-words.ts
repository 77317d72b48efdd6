/*
 * What a schema says of input that does not fit it, where it has no words of its own.
 *
 * The schema library says little without its translations, which would be most of a small program, and something else
 * where anybody in the process has loaded them: so these are given with each parse.
 */
import type * as z from 'zod/mini'

export function schemaWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${aOrAn(wordFor(issue.expected))}`
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`
    case 'unrecognized_keys':
      return `does not know ${issue.keys.join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : formWords(issue.errors)
    case 'invalid_key':
      return 'is no name that may stand here'
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : `must be ${aOrAn(issue.format)}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'too_small':
      return leastWords(issue)
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'below' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`
    default:
      return undefined
  }
}

type Form = readonly z.core.$ZodIssue[]

/** `forms`: what each has against the value. The one of its type was meant; where there is none, all are named. */
function formWords(forms: readonly Form[]): string {
  const wanted = forms.map(otherWords)
  const meant = forms.filter((_, i) => wanted[i] === undefined)
  const [first] = meant[0] ?? []
  if (meant.length === 1 && first !== undefined)
    return first.path.length === 0 ? first.message : `at ${first.path.join('.')}: ${first.message}`
  return meant.length === 0 && forms.length > 0
    ? `must be ${[...new Set(wanted)].join(' or ')}`
    : 'has none of the forms that it may have'
}

/** What a form wants that is of another type than the value, or one of a few values; undefined of one that may be meant. */
function otherWords([issue]: Form): string | undefined {
  if (issue === undefined || issue.path.length > 0) return undefined
  if (issue.code === 'invalid_type') return aOrAn(wordFor(issue.expected))
  return issue.code === 'invalid_value' ? issue.values.map(String).join(' or ') : undefined
}

function leastWords({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (origin === 'string' && minimum === 1) return 'must not be empty'
  return `must be ${inclusive === false ? 'above' : 'at least'} ${minimum}${unitOf(origin)}`
}

/** The library calls an object with free names a record; nobody else does. */
const wordFor = (type: string): string => (type === 'record' ? 'object such as {"name": …}' : type)

const aOrAn = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' long' : ''
}

import { refuse, type Refusal } from '../decision.ts'
import { schemaWords } from '../text/schema-words.ts'
import type { Operation } from './operation.ts'

export type Parsed = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly refusal: Refusal }

/** Input from outside, checked once against the operation's schema. */
export function parseInput(operation: Operation, input: unknown): Parsed {
  const parsed = operation.input.safeParse(input)
  if (parsed.success) return unknownIn(operation, input) ?? { ok: true, input: parsed.data }
  const found = operation.input.safeParse(input, { error: schemaWords }).error?.issues ?? []
  const issues = found.map(({ path, message }) => ({ path: path.join('.'), message }))
  return {
    ok: false,
    refusal: refuse('INPUT_INVALID', `${operation.name}: ${saidOf(issues)}`, {
      hint: `steadfold schema ${operation.name} shows what it takes`,
      details: { issues },
    }),
  }
}

const MOST_SAID = 10

/** The first of them; the details of an error have all. */
function saidOf(issues: readonly { readonly path: string; readonly message: string }[]): string {
  const said = issues
    .slice(0, MOST_SAID)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
  return issues.length > MOST_SAID ? `${said}; and ${issues.length - MOST_SAID} more` : said
}

/** A misspelt guard or limit must not be passed over. */
function unknownIn({ name, input: { shape } }: Operation, input: unknown): Parsed | undefined {
  // What the schema took is an object.
  const given = input as Readonly<Record<string, unknown>>
  for (const member in given)
    if (!Object.hasOwn(shape, member) && given[member] !== undefined) return unknown(name, member, Object.keys(shape))
  return undefined
}

const unknown = (operation: string, member: string, known: readonly string[]): Parsed => ({
  ok: false,
  refusal: refuse('INPUT_INVALID', `${operation}: it takes no "${member}"`, {
    hint: known.length === 0 ? 'it takes nothing' : `it takes ${known.join(', ')}`,
    details: { issues: [{ path: member, message: 'is not known' }] },
  }),
})

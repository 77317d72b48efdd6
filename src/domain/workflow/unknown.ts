/* W2: each member that nobody knows, with what was probably meant or with all that may stand in its place. */
import type * as z from 'zod/mini'
import { nearestOf } from '../../kernel/text/nearest.ts'
import { schemaWords } from '../../kernel/text/schema-words.ts'

interface Unknown {
  readonly member: string
  readonly message: string
}

/** Hears with the words of one parse what each object may hold: the issues that are left of it do not say. */
export class UnknownMembers {
  readonly #known = new Map<string, readonly string[]>()

  readonly words = (issue: z.core.$ZodRawIssue): string | undefined => {
    const definition = issue.inst?._zod.def
    if (issue.code === 'unrecognized_keys' && definition !== undefined && 'shape' in definition)
      this.#known.set(placeOf(issue.path), Object.keys(definition.shape as object))
    return schemaWords(issue)
  }

  /** None when the issue is about something else. */
  of(issue: z.core.$ZodIssue): readonly Unknown[] {
    if (issue.code !== 'unrecognized_keys') return []
    const known = this.#known.get(placeOf(issue.path)) ?? []
    return issue.keys.map((member) => ({ member, message: `is not known; ${meant(member, known)}` }))
  }
}

const placeOf = (path: readonly PropertyKey[] = []): string => JSON.stringify(path.map(String))

function meant(member: string, known: readonly string[]): string {
  const near = nearestOf(member, known)
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `what may stand here: ${known.join(', ')}`
}

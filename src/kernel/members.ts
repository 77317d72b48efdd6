/* Looking into values of which nothing is known yet. */

export type Members = Readonly<Record<string, unknown>>

/** An object that is no list. */
export const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

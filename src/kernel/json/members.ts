/* Looking into values of which nothing is known yet. */

export type Members = Readonly<Record<string, unknown>>

/** An object that is no list. */
export const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

/** Without the members that nothing was said about: an event is JSON, which has no undefined. */
export function given<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  // What is filtered out is exactly what the type leaves out.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>
  }
}

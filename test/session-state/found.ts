/** Keys of the object at a dotted path of a document; `*` stands for every member. */
export const keysAt =
  (path: string) =>
  (document: unknown): readonly string[] =>
    membersAt([document], path.split('.')).flatMap((each) => Object.keys(each))

function membersAt(from: readonly unknown[], keys: readonly string[]): readonly object[] {
  const objects = from.filter((each) => typeof each === 'object' && each !== null)
  const [key, ...rest] = keys
  if (key === undefined) return objects
  // What is looked for is plain JSON.
  const all = objects as readonly Readonly<Record<string, unknown>>[]
  return membersAt(key === '*' ? all.flatMap((each) => Object.values(each)) : all.map((each) => each[key]), rest)
}

/** Every number that is called a token. */
export function tokensIn(document: unknown): readonly number[] {
  if (typeof document !== 'object' || document === null) return []
  return Object.entries(document).flatMap(([name, value]: readonly [string, unknown]) =>
    name === 'token' && typeof value === 'number' ? [value] : tokensIn(value),
  )
}

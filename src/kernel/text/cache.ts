/** Longer texts are made anew each time: a cache of them would hold more memory than it saves work. */
const LONGEST = 1000

/**
 * Remembers what `make` gave for a text, for at least the last `capacity` texts and at most twice as many.
 * Two generations instead of a list in order of use: a hit costs one look-up, and filling up costs nothing.
 */
export function cachedByText<T>(capacity: number, make: (text: string) => T): (text: string) => T {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  return (text) => {
    const hit = young.get(text)
    if (hit !== undefined) return hit
    const made = old.get(text) ?? make(text)
    if (text.length > LONGEST) return made
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(text, made)
    return made
  }
}

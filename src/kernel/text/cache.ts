/*
 * Remembers what `make` gave for a text, for at most twice `capacity` texts and a few.
 *
 * C1. Two generations instead of a list in order of use: a hit costs one look-up, and filling up costs nothing.
 * C2. When more than `capacity` were met, a text is kept when it is met again, and until then with the last few: what comes
 *     once would grow old there, and then be garbage that only a collection of the whole memory clears away, while all
 *     callers wait.
 * C3. What is made may be anything but undefined.
 */

/** Longer texts are made anew each time: a cache of them would hold more memory than it saves work. */
const LONGEST = 1000
/** What one step asks for several times. */
const LAST_FEW = 64
/** Texts of which one knows that they were met; another may take the place of one. */
const MET = 4096

export function cachedByText<T>(capacity: number, make: (text: string) => T): (text: string) => T {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  let few = new Map<string, T>()
  let met: Uint32Array | undefined
  return (text) => {
    let hit = young.get(text)
    if (hit === undefined && met !== undefined) hit = few.get(text)
    if (hit !== undefined) return hit
    const kept = old.get(text)
    const made = kept === undefined ? make(text) : kept
    if (text.length > LONGEST) return made
    const isFull = young.size >= capacity
    if (isFull) met ??= new Uint32Array(MET)
    if (kept === undefined && met !== undefined && !isMet(met, text)) {
      if (few.size >= LAST_FEW) few = new Map()
      few.set(text, made)
      return made
    }
    if (isFull) {
      old = young
      young = new Map()
    }
    young.set(text, made)
    return made
  }
}

/** Notes it. The low bits of its hash are the place, all of them say which text it is. */
function isMet(met: Uint32Array, text: string): boolean {
  // FNV-1a, of UTF-16 units.
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  const place = hash & (MET - 1)
  const isThere = met[place] === hash >>> 0
  met[place] = hash
  return isThere
}

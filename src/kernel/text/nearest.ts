/* Names that are like one that nobody knows. */

const MOST = 3

/** The nearest first, by how many letters have to be changed; none where most of them would. */
export function nearestOf(asked: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, far: distance(asked, name) }))
    .filter(({ name, far }) => far <= Math.max(asked.length, name.length) / 2)
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name)
}

/** Levenshtein's: letters put in, taken out or replaced. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  // Names are ASCII.
  for (const [i, letter] of from.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of to.split('').entries())
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    row = next
  }
  return row[to.length] ?? 0
}

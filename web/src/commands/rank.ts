/** What fits the letters: all of them in order; words that begin with them first. */
export function ranked<T>(items: readonly T[], typed: string, textOf: (item: T) => string): readonly T[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return items
  return items
    .map((item) => ({ item, score: scoreOf(textOf(item).toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item)
}

function scoreOf(text: string, wanted: string): number {
  if (text.startsWith(wanted)) return 4
  if (text.includes(` ${wanted}`)) return 3
  if (text.includes(wanted)) return 2
  let place = 0
  for (const letter of wanted) {
    place = text.indexOf(letter, place) + 1
    if (place === 0) return 0
  }
  return 1
}

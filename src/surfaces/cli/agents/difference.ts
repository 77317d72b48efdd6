/** Lines that go and come, with two around them; for settings, where changes stand together. */
export function lineDifference(before: string, after: string): readonly string[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const [gone, come] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  return [
    ...a.slice(Math.max(0, head - AROUND), head).map((line) => `  ${line}`),
    ...pairwise(gone, come),
    ...a.slice(a.length - tail, a.length - tail + AROUND).map((line) => `  ${line}`),
  ]
}

const AROUND = 2

/** The longest lines in common stay: what was there is never shown as gone. */
function pairwise(gone: readonly string[], come: readonly string[]): readonly string[] {
  const lengths = gone.map(() => new Uint16Array(come.length + 1))
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  for (let i = gone.length - 1; i >= 0; i--)
    for (let j = come.length - 1; j >= 0; j--) {
      const row = lengths[i]
      if (row !== undefined) row[j] = gone[i] === come[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1))
    }
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < gone.length || j < come.length) {
    if (i < gone.length && j < come.length && gone[i] === come[j]) lines.push(`  ${gone[i++]}`, ...(j++, []))
    else if (j < come.length && (i >= gone.length || at(i, j + 1) >= at(i + 1, j))) lines.push(`+ ${come[j++]}`)
    else lines.push(`- ${gone[i++]}`)
  }
  return lines
}

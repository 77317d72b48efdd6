/*
 * Lines that go and come, each with two around it; for settings.
 *
 * D1. The longest lines in common stay: what was there is never shown as gone.
 * D2. What is compared, and shown, grows with what differs; a long file that differs little is read once.
 */
export function lineDifference(before: string, after: string): readonly string[] {
  const lines = shortestWay(before.split('\n'), after.split('\n'))
  const isNear = (at: number) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line[0] !== ' ')
  const hunks: string[] = []
  let last = -1
  for (const [at, line] of lines.entries()) {
    if (!isNear(at)) continue
    if (hunks.length > 0 && last < at - 1) hunks.push('  …')
    hunks.push(line)
    last = at
  }
  return hunks
}

const AROUND = 2

/** Of Myers: how far one comes along each diagonal, with one line more that goes or comes in each round. */
function shortestWay(a: readonly string[], b: readonly string[]): readonly string[] {
  const rounds: Int32Array[] = []
  for (let round = 0; ; round++) {
    const reached = new Int32Array(2 * round + 1)
    rounds.push(reached)
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      let x = round === 0 ? 0 : stepTo(rounds, round, diagonal).x
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      reached[diagonal + round] = x
      if (x >= a.length && x - diagonal >= b.length) return wayBack(rounds, a, b)
    }
  }
}

/** From the round before onto this diagonal: by a line that comes, or by one that goes. */
function stepTo(rounds: readonly Int32Array[], round: number, diagonal: number) {
  const at = (from: number): number => rounds[round - 1]?.[from + round - 1] ?? -1
  const [goes, comes] = [at(diagonal - 1), at(diagonal + 1)]
  return diagonal === -round || (diagonal < round && goes < comes)
    ? { sign: '+', x: comes }
    : { sign: '-', x: goes + 1 }
}

function wayBack(rounds: readonly Int32Array[], a: readonly string[], b: readonly string[]): readonly string[] {
  const lines: string[] = []
  let [x, y] = [a.length, b.length]
  for (let round = rounds.length - 1; round > 0; round--) {
    const step = stepTo(rounds, round, x - y)
    while (x > step.x) lines.push(`  ${a[--x]}`, ...(y--, []))
    lines.push(step.sign === '+' ? `+ ${b[--y]}` : `- ${a[--x]}`)
  }
  while (x > 0) lines.push(`  ${a[--x]}`)
  return lines.toReversed()
}

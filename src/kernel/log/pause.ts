const LONGEST_PAUSE_MS = 1000

/** Half to whole of 20 ms, doubling to a second. */
export const pause = (attempt: number, random: number): number =>
  Math.min(20 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) * (0.5 + random / 2)

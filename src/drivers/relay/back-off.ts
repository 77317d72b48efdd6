const FIRST_MS = 250
const LONGEST_MS = 60_000
const MOST_DOUBLINGS = 10

/** Milliseconds before the next try: doubled each time, between half and all of it. `random` is in [0, 1). */
export const backOff = (failures: number, random: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, MOST_DOUBLINGS)) * (0.5 + random / 2)

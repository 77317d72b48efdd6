/*
 * The order of facts that several processes have handed in.
 *
 * Facts of one process are in the order of their numbers, whatever the clock did. Others are in the order of their times,
 * and of their names where the times are the same: a subshell's name begins with its parent's, up to the fact behind
 * which it was started.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'

export interface Timed {
  /** `<process>-<number>` */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
}

export function inOrder<T extends Timed>(facts: readonly T[]): readonly T[] {
  const byName = [...facts].sort((a, b) => compare(a.id, b.id))
  const latest = new Map<string, number>()
  const placed = byName.map((fact) => {
    const writer = fact.id.replace(/-[^-]*$/, '')
    const time = Math.max(fact.time, latest.get(writer) ?? fact.time)
    latest.set(writer, time)
    return { fact, time }
  })
  return placed.sort((a, b) => compare(a.time, b.time)).map(({ fact }) => fact)
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

export interface Clock {
  /** When a fact was written, told by its `at` or else by its file; for facts that are read together. */
  timeOf(at: string, mtimeMs: number): number
  /**
   * Whether a fact may have been written after reading began. Files are read one after the other: such a fact may stand
   * behind one in a file that was not there yet, and is for the next time.
   */
  isLate(at: string, time: number): boolean
}

/** Times since the start of the machine are cut to hundredths of a second, which is so much to either side. */
export const COARSE_MS = 10
/** What is further ahead was not written later: a clock was set. */
const AHEAD_MS = 5000

/** To be asked before anything is read. */
export function clockNow(): Clock {
  const now = nextMillisecond()
  const uptime = secondsUp()
  return {
    timeOf: (at, mtimeMs) => {
      const [, up, seconds] = /^(?:up (\d+(?:\.\d+)?)|(\d{9,11}(?:[.,]\d{1,9})?))$/.exec(at) ?? []
      if (seconds !== undefined) return Number(seconds.replace(',', '.')) * 1000
      return up === undefined || Number(up) > uptime ? mtimeMs : now - (uptime - Number(up)) * 1000
    },
    isLate: (at, time) => {
      const ahead = time - now + (at.startsWith('up') ? COARSE_MS : 0)
      return ahead > 0 && ahead < AHEAD_MS
    },
  }
}

/** Facts are told apart by microseconds: what was written before the call is older than the answer. */
function nextMillisecond(): number {
  const begun = Date.now()
  while (Date.now() === begun);
  return begun + 1
}

/** As shells read it: in hundredths, which os.uptime() is not everywhere. */
function secondsUp(): number {
  try {
    return Number.parseFloat(fs.readFileSync('/proc/uptime', 'latin1'))
  } catch {
    return os.uptime()
  }
}

/** Times as people read them; exact in titles. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `4s`, `12m`, `3h`, `5d`. */
export function shortAge(ms: number): string {
  const age = Math.max(0, ms)
  if (age < MINUTE) return `${Math.floor(age / SECOND)}s`
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`
  if (age < DAY) return `${Math.floor(age / HOUR)}h`
  return `${Math.floor(age / DAY)}d`
}

/** `4 s`, `12 min`, `3 h`, `5 days`. */
export function longAge(ms: number): string {
  const age = Math.max(0, ms)
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s`
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < DAY) return `${Math.floor(age / HOUR)} h`
  const days = Math.floor(age / DAY)
  return days === 1 ? '1 day' : `${days} days`
}

/** `340 ms`, `4.2 s`, `3m 20s`, `2h 5m`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${Math.floor((ms % MINUTE) / SECOND)}s`
  return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`
}

/** Local, to the second: `2026-11-22 05:41:07`. */
export function stamp(at: string | number): string {
  const date = new Date(at)
  const [day, time] = [
    [date.getFullYear(), date.getMonth() + 1, date.getDate()],
    [date.getHours(), date.getMinutes(), date.getSeconds()],
  ].map((parts) => parts.map((part) => String(part).padStart(2, '0')))
  return `${day?.join('-') ?? ''} ${time?.join(':') ?? ''}`
}

/** Local time of day to the second, for rows of one day. */
export const clock = (at: string | number): string => stamp(at).slice(11)

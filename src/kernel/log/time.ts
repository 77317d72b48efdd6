/*
 * Times as commits carry them: ISO 8601, UTC, milliseconds. Many commits share one, and each is told behind the one before,
 * so the last is remembered, and the text of its day. Not by `toISOString`: the first one of a process reads the time zone,
 * which a short command would wait for.
 */
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000]
/** Of years with four digits, from 1970. */
const LAST = 253_402_300_799_999

let ms = 0
let text = ''
let day = Number.NaN
let date = ''

export function timeText(at: number): string {
  if (text === '' || at !== ms) {
    text = at >= 0 && at <= LAST ? written(Math.trunc(at)) : new Date(at).toISOString()
    ms = at
  }
  return text
}

function written(at: number): string {
  const rest = at % DAY_MS
  if (at - rest !== day) {
    day = at - rest
    date = dateText(new Date(day))
  }
  const [hour, minute, second] = [rest / HOUR_MS, (rest % HOUR_MS) / MINUTE_MS, (rest % MINUTE_MS) / SECOND_MS]
  return `${date}T${digits(hour)}:${digits(minute)}:${digits(second)}.${digits(rest % SECOND_MS, 3)}Z`
}

const dateText = (at: Date): string =>
  `${at.getUTCFullYear()}-${digits(at.getUTCMonth() + 1)}-${digits(at.getUTCDate())}`

const digits = (value: number, count = 2): string => String(Math.trunc(value)).padStart(count, '0')

/** 0 for no time. */
export function timeOf(at: string): number {
  if (at === '') return 0
  return at === text ? ms : Date.parse(at)
}

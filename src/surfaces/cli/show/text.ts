/** Words and numbers for people: terse, aligned, never wider than asked. */

/** Columns that a terminal shows, near enough: combining marks and styles take none, East Asian wide ones and emoji two. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const char of text.replaceAll(STYLE, '')) width += widthOfChar(char)
  return width
}

/** Most of a text that is cut is ASCII, which need not be looked up. */
function widthOfChar(char: string): number {
  if (char < '\x7f') return 1
  return /\p{M}|\p{Cf}/u.test(char) ? 0 : isWide(char) ? 2 : 1
}

/** Printable: nothing to look up. */
const ASCII = /^[\x20-\x7e]*$/
/** As paint.ts writes it. */
const STYLE = new RegExp(String.raw`\x1b\[\d+m`, 'g')
// Inside functions: only who meets more than ASCII pays for looking up Unicode.
const isWide = (char: string): boolean =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
    char,
  )

/**
 * No control characters: what agents wrote must not steer a terminal; nor what is not seen or turns the order around, so that
 * a name or a command reads as another one. The same as on the pages.
 */
export function plain(text: string): string {
  if (ASCII.test(text)) return text
  return text.replace(
    /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu,
    (char) =>
      ({ '\n': '\\n', '\t': '\\t', '\r': '\\r', '\x1b': '\\e' })[char] ??
      `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The same, but lines stay lines. */
export const plainLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\t').map(plain).join('\t'))
    .join('\n')

/** At most `width` columns, the cut marked. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 1
  for (const char of text) {
    used += widthOfChar(char)
    if (used > width) break
    kept += char
  }
  return `${kept}…`
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))
const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text

interface Layout {
  /** Columns that are aligned to the right. */
  readonly right?: readonly number[]
  /** A line is cut there. */
  readonly width?: number
  readonly indent?: string
  /** No column is made wider for a cell that is wider than this. */
  readonly aligned?: number
}

/** The cells of each column begin, or end, below one another. */
export function columns(
  rows: readonly (readonly string[])[],
  { right = [], width = Infinity, indent = '', aligned = Infinity }: Layout = {},
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const wide = (cell = '') => (widthOf(cell) <= aligned ? widthOf(cell) : 0)
  const widths = Array.from({ length: count }, (_, i) => Math.max(0, ...rows.map((row) => wide(row[i]))))
  return rows.map((row) => {
    const cells = row.map((cell, i) =>
      right.includes(i) ? padStart(cell, widths[i] ?? 0) : i === row.length - 1 ? cell : padEnd(cell, widths[i] ?? 0),
    )
    return cut((indent + cells.join('  ')).trimEnd(), width)
  })
}

/** 1,842 */
export const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 commit`, `231 commits` */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${thousands(n)} ${n === 1 ? noun : plural}`

/** `4s ago`; one unit. */
export function ago(at: string, now: number): string {
  const s = Math.max(0, Math.round((now - Date.parse(at)) / 1000))
  if (!Number.isFinite(s)) return ''
  if (s < 60) return `${s}s ago`
  if (s < 3600) return `${Math.floor(s / 60)}m ago`
  if (s < 172_800) return `${Math.floor(s / 3600)}h ago`
  return `${Math.floor(s / 86_400)}d ago`
}

/** A time kept as milliseconds since 1970, in ISO 8601; undefined for any other member. */
export const momentOf = (name: string, value: unknown): string | undefined =>
  typeof value === 'number' && value >= EARLIEST && value < LATEST && MOMENT.test(name)
    ? new Date(value).toISOString()
    : undefined

const MOMENT = /^(expires|until|deadline|due|from|started|active|at_ms)$|_(at|until)$/
/** 2001 and 2286: a duration is shorter. */
const [EARLIEST, LATEST] = [1e12, 1e13]

/** 212 bytes, 1.4 KB, 88 MB */
export function bytes(n: number): string {
  if (n < 1000) return count(n, 'byte')
  const units = ['KB', 'MB', 'GB', 'TB']
  let value = n / 1000
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ''}`
}

/** A value on one line, cut to `width`. */
export const brief = (value: unknown, width = 60): string => cut(plain(JSON.stringify(value) ?? 'nothing'), width)

export const dollars = (usd: number): string => (usd === 0 ? '' : `$${usd.toFixed(2)}`)

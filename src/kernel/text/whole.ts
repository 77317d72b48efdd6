/** The first `most` characters of a text, never half of a surrogate pair: no log takes that. */
export const whole = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

/** Printable, on one line, and not longer than that. */
export const lineOf = (text: string, most = 500): string => whole(text.replaceAll(/\p{Cc}+/gu, ' ').trim(), most)

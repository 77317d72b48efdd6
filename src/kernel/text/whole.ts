/** The first `most` characters of a text, never half of a surrogate pair: no log takes that. */
export const whole = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

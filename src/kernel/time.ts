/*
 * Times as commits carry them: ISO 8601, UTC, milliseconds. Many commits share one, and each is told behind the one before,
 * so the last is remembered.
 */
let ms = 0
let text = ''

export function timeText(at: number): string {
  if (text === '' || at !== ms) {
    text = new Date(at).toISOString()
    ms = at
  }
  return text
}

/** 0 for no time. */
export function timeOf(at: string): number {
  if (at === '') return 0
  return at === text ? ms : Date.parse(at)
}

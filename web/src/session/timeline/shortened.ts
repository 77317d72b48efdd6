/**
 * Whole words only, also of a name such as find-every_caller: what is seen must be a part of what is said. The sign alone
 * where no word fits; `room` in letters.
 */
export function shortened(text: string, room: number): string {
  if (text.length <= room) return text
  const end = text.slice(0, Math.max(0, room)).search(/[\s/_-][^\s/_-]*$/)
  return end > 1 ? `${text.slice(0, end)}…` : text.slice(0, Math.max(0, Math.min(1, room)))
}

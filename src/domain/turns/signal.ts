/*
 * The completion signal at the end of a message.
 *
 * T4. It counts only as the last word, whole, in the very letters; also inside Markdown emphasis. What is left of the
 *     message is what is posted.
 */
const MARKS = new Set(['*', '_', '`', '~'])
const WORD_AT_END = /[\p{L}\p{N}_]$/u

export interface Read {
  readonly signal: boolean
  /** The message without the signal. */
  readonly text: string
}

export function readSignal(message: string, word: string): Read {
  const none = { signal: false, text: message }
  const trimmed = message.trimEnd()
  const closing = marksAtEnd(trimmed)
  const inner = closing === '' ? trimmed : trimmed.slice(0, -closing.length)
  if (!inner.endsWith(word)) return none
  const before = inner.slice(0, inner.length - word.length)
  const opening = marksAtEnd(before)
  const outer = before.slice(0, before.length - opening.length)
  if (isWord(outer)) return none
  if (opening === mirrored(closing)) return { signal: true, text: outer.trimEnd() }
  // The emphasis began before the word: "**Done. TURN_COMPLETE**".
  const whole = opening === '' && closing !== '' && outer.includes(mirrored(closing))
  return whole ? { signal: true, text: outer.trimEnd() + closing } : none
}

/** Whether a word can be told from the marks around it. */
export const isSignal = (word: string): boolean =>
  word !== '' && !/\s/u.test(word) && !MARKS.has(word.charAt(0)) && !MARKS.has(word.charAt(word.length - 1))

function marksAtEnd(text: string): string {
  let from = text.length
  while (from > 0 && MARKS.has(text.charAt(from - 1))) from--
  return text.slice(from)
}

const isWord = (text: string): boolean => WORD_AT_END.test(text.slice(-2))

const mirrored = (marks: string): string => marks.split('').toReversed().join('')

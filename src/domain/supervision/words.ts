/*
 * Counting and cutting words, for every script.
 *
 * A word is what stands between spaces. What is written in a script without spaces (Chinese, Japanese, Thai …) is counted
 * by the words that Unicode (UAX 29, as the runtime's ICU has it) finds in it. A mark between spaces is a word, too.
 */
import { whole } from '../../kernel/text/whole.ts'

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u

const LONGEST_WORD = 80

export const wordsIn = (text: string): number => tokens(text).reduce((sum, token) => sum + weight(token), 0)

/** The first `most` words and at most `letters` characters; `…` says that something was left out. */
export function firstWords(text: string, most: number, letters: number): string {
  const kept: string[] = []
  let left = most
  let room = letters
  for (const token of tokens(text)) {
    const part = fit(token, left, room - (kept.length === 0 ? 0 : 1))
    if (part !== '') kept.push(part)
    if (part !== token) return marked(kept.join(' '))
    left -= weight(token)
    room -= token.length + (kept.length === 1 ? 0 : 1)
  }
  return kept.join(' ')
}

const tokens = (text: string): readonly string[] => text.split(/\s+/u).filter((token) => token !== '')

const marked = (text: string): string => (text === '' ? '' : `${text.replace(/[\s.,;:·–—-]+$/u, '')}…`)

function weight(token: string): number {
  return UNSPACED.test(token) ? Math.max(1, parts(token).filter(({ isWordLike }) => isWordLike === true).length) : 1
}

/** As much of a token as there is room for. */
function fit(token: string, words: number, letters: number): string {
  if (words <= 0 || letters <= 0) return ''
  if (!UNSPACED.test(token)) {
    const most = Math.min(letters, LONGEST_WORD)
    if (token.length <= most) return token
    return letters < token.length && token.length <= LONGEST_WORD ? '' : whole(token, most)
  }
  let kept = ''
  let left = words
  for (const { segment, isWordLike } of parts(token)) {
    if (isWordLike === true) left -= 1
    if (left < 0 || kept.length + segment.length > letters) break
    kept += segment
  }
  return kept
}

let segmenter: Intl.Segmenter | undefined

function parts(token: string): readonly Intl.SegmentData[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return [...segmenter.segment(token)]
}

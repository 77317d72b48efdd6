/*
 * Patterns of files: * and ? stay inside a folder, ** crosses folders, [ab] one of these, {a,b} either.
 */
const MAGIC = /[*?[{]/

export const isPattern = (text: string): boolean => MAGIC.test(text)

/** The folder above the first part that is a pattern. */
export function fixedPart(pattern: string): string {
  const parts = pattern.split('/')
  const first = parts.findIndex(isPattern)
  return parts.slice(0, first < 0 ? parts.length : first).join('/')
}

/** For paths with slashes, relative to the same folder as the pattern. */
export const toRegExp = (pattern: string): RegExp => new RegExp(`^${sourceOf(pattern)}$`, 's')

function sourceOf(pattern: string): string {
  let source = ''
  for (let at = 0; at < pattern.length;) {
    const [text, next] = piece(pattern, at)
    source += text
    at = next
  }
  return source
}

const quote = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function piece(pattern: string, at: number): readonly [source: string, next: number] {
  const rest = pattern.slice(at)
  if (rest.startsWith('**/')) return ['(?:[^/]+/)*', at + 3]
  if (rest.startsWith('**')) return ['.*', at + 2]
  if (rest.startsWith('*')) return ['[^/]*', at + 1]
  if (rest.startsWith('?')) return ['[^/]', at + 1]
  const set = /^\[(!?)([^\]]+)\]/.exec(rest)
  if (set !== null && !runsBackwards(set[2] ?? ''))
    return [`(?!/)[${set[1] === '!' ? '^' : ''}${(set[2] ?? '').replace(/[\\\]^]/g, '\\$&')}]`, at + set[0].length]
  const either = /^\{([^{}]*)\}/.exec(rest)
  if (either !== null) return [`(?:${(either[1] ?? '').split(',').map(sourceOf).join('|')})`, at + either[0].length]
  return [quote(rest[0] ?? ''), at + 1]
}

/** Such as z-a: then the bracket is a letter like any other. */
const runsBackwards = (set: string): boolean =>
  Array.from(set.matchAll(/(.)-(.)/gs)).some(([, from = '', to = '']) => from > to)

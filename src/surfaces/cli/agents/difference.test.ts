import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDifference } from './difference.ts'

const linesOf = (many: number) => Array.from({ length: many }, (_, i) => `${i}`)

test('D1 what is shown as gone and come is all that differs, and as little as can be', () => {
  const texts = fc.array(fc.constantFrom<string[]>('a', 'b', 'c'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const told = lineDifference(before.join('\n'), after.join('\n'))
      const only = (sign: string) => told.filter((line) => line.startsWith(sign)).map((line) => line.slice(2))
      const common = longestCommon(before, after)
      expect([only('-').length, only('+').length]).toEqual([before.length - common, after.length - common])
      expect(only('-').every((line) => before.includes(line))).toBe(true)
      expect(only('+').every((line) => after.includes(line))).toBe(true)
    }),
  )
})

function longestCommon([a, ...as]: readonly string[], [b, ...bs]: readonly string[]): number {
  if (a === undefined || b === undefined) return 0
  return a === b ? 1 + longestCommon(as, bs) : Math.max(longestCommon(as, [b, ...bs]), longestCommon([a, ...as], bs))
}

test('D2 of a large file no more is looked at, and shown, than what differs', () => {
  const lines = linesOf(200_000)
  const after = ['first', ...lines.slice(0, 100_000), 'middle', ...lines.slice(100_001), 'last']
  expect(lineDifference(lines.join('\n'), after.join('\n'))).toEqual(
    [
      ['+ first', '  0', '  1', '  …', '  99998', '  99999', '- 100000', '+ middle', '  100001', '  100002'],
      ['  …', '  199998', '  199999', '+ last'],
    ].flat(),
  )
})

test('where nothing differs nothing is shown', () => {
  expect(lineDifference('a\nb', 'a\nb')).toEqual([])
})

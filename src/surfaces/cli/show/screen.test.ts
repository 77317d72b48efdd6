import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clip, sizeOf } from './screen.ts'
import { widthOf } from './text.ts'

const STYLES = ['\u001B[1m', '\u001B[31m', '\u001B[0m', '\u001B[38;5;9m']
const bare = (line: string) => STYLES.reduce((text, style) => text.replaceAll(style, ''), line)

test('R2. a clipped line is a beginning of the line, and never wider than asked', () => {
  const piece = fc.oneof(
    fc.constantFrom(...STYLES, '漢', '🙂', 'é'),
    fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(30), (pieces, width) => {
      const line = pieces.join('')
      const kept = bare(clip(line, width))
      expect(bare(line).startsWith(kept)).toBe(true)
      expect(widthOf(kept)).toBeLessThanOrEqual(width)
      if (widthOf(bare(line)) <= width) expect(clip(line, width)).toBe(line)
    }),
  )
})

test('R2. a style ends where the line is cut', () => {
  expect(clip('\u001B[31mabc', 2)).toBe('\u001B[31mab\u001B[0m')
})

test('R2. a terminal that tells no size has 24 lines of 80', () => {
  expect(sizeOf({})).toEqual({ columns: 80, rows: 24 })
  expect(sizeOf({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 })
  expect(sizeOf({ columns: 100, rows: 50 })).toEqual({ columns: 100, rows: 50 })
})

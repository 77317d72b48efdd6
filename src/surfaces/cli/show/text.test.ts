import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { duration } from '../../../kernel/text/duration.ts'
import { makePaint } from './paint.ts'
import {
  ago,
  brief,
  bytes,
  columns,
  count,
  cut,
  dollars,
  padEnd,
  plain,
  plainLines,
  thousands,
  widthOf,
} from './text.ts'

describe('numbers and times', () => {
  test.each([
    [0, '0ms'],
    [340, '340ms'],
    [1000, '1s'],
    [1260, '1.3s'],
    [9_990, '10.0s'],
    [59_400, '59s'],
    [65_000, '1m 05s'],
    [12_000_000, '3h 20m'],
    [500_000_000, '5d'],
  ])('%i ms is %s', (ms, said) => expect(duration(ms)).toBe(said))

  test.each([
    [5, '5s ago'],
    [150, '2m ago'],
    [10_000, '2h ago'],
    [300_000, '3d ago'],
  ])('%i s before is %s', (seconds, said) => {
    const now = Date.parse('2026-11-21T20:00:00Z')
    expect(ago(new Date(now - seconds * 1000).toISOString(), now)).toBe(said)
  })

  test('what lies ahead of the clock is now, and no time is no text', () => {
    expect(ago('2999-01-01T00:00:00Z', 0)).toBe('0s ago')
    expect(ago('', 0)).toBe('')
  })

  test('counts, bytes and money', () => {
    expect([count(1, 'commit'), count(1842, 'commit'), thousands(1234567)]).toEqual([
      '1 commit',
      '1,842 commits',
      '1,234,567',
    ])
    expect([bytes(1), bytes(212), bytes(1400), bytes(88_000_000)]).toEqual(['1 byte', '212 bytes', '1.4 KB', '88 MB'])
    expect([dollars(0), dollars(1.841)]).toEqual(['', '$1.84'])
  })
})

describe('text from agents', () => {
  test('steers no terminal', () => {
    expect(plain('a\x1b[31mb\nc\td\u202e')).toBe('a\\e[31mb\\nc\\td\\u202e')
    expect(plainLines('a\n\tb\x07')).toBe('a\n\tb\\u0007')
  })

  test('hides nothing, and is read in the order in which it stands; joiners of scripts and emoji stay', () => {
    expect(plain('pay\u200bments\u2060\ufeff\u00ad')).toBe('pay\\u200bments\\u2060\\ufeff\\u00ad')
    expect(plain('\u061ca\u200eb\u200f')).toBe('\\u061ca\\u200eb\\u200f')
    expect(plain('👩\u200d💻 می\u200cخواهم')).toBe('👩\u200d💻 می\u200cخواهم')
    expect(widthOf(plain('a\u200bb'))).toBe(8)
  })

  test('has no control character left, whatever it held', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plain(text)).not.toMatch(/\p{Cc}/u)
        expect(brief(text)).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

describe('columns', () => {
  test('are as wide as they must be, and cut at the end of the line', () => {
    expect(
      columns(
        [
          ['a', 'bb', 'c'],
          ['ccc', 'd', 'long text'],
        ],
        { width: 12 },
      ),
    ).toEqual(['a    bb  c', 'ccc  d   lo…'])
    expect(
      columns(
        [
          ['a', '1'],
          ['b', '100'],
        ],
        { right: [1], indent: '  ' },
      ),
    ).toEqual(['  a    1', '  b  100'])
    expect(columns([])).toEqual([])
  })

  test('count what a terminal shows', () => {
    expect([widthOf('abc'), widthOf('漢字'), widthOf('e\u0301'), widthOf('🙂')]).toEqual([3, 4, 1, 2])
  })

  test('a style takes no room: what is painted stands in its column', () => {
    const paint = makePaint(true)
    for (const text of ['ok', '漢字', '']) expect(widthOf(paint.green(text))).toBe(widthOf(text))
    expect(padEnd(paint.dim('ok'), 4)).toBe(`${paint.dim('ok')}  `)
  })

  test('nothing is wider than it was cut to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width)
      }),
    )
  })
})

test('every character has the width that Unicode says, ASCII or not', () => {
  const chars = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code)).concat('\u{1f600}', '\u{e0001}')
  const isNone = (char: string) => /\p{M}|\p{Cf}/u.test(char)
  expect(chars.filter((char) => (widthOf(char) !== 0) === isNone(char))).toEqual([])
  expect(chars.filter((char) => char < '\u0300' && !isNone(char) && widthOf(char) !== 1)).toEqual([])
  expect(['界', 'ｗ', '\u{1f600}'].map(widthOf)).toEqual([2, 2, 2])
})

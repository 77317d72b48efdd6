import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { survives } from './number.ts'
import { parseJsonText } from './text.ts'

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

const refused: readonly (readonly [name: string, text: string, code: string, place?: string])[] = [
  ['nothing', '', 'JSON_INVALID', '1:1'],
  ['white space', ' \n ', 'JSON_INVALID', '2:2'],
  ['a byte order mark', '\ufeff{}', 'JSON_INVALID', '1:1'],
  ['a byte order mark inside', '[\ufeff1]', 'JSON_INVALID', '1:2'],
  ['NUL bytes', '\u0000\u0000', 'JSON_INVALID', '1:1'],
  ['a no-break space', '{\u00a0}', 'JSON_INVALID', '1:2'],
  ['a comment', '{"a":1} // x', 'JSON_INVALID', '1:9'],
  ['two values', '1 2', 'JSON_INVALID', '1:3'],
  ['single quotes', "{'a':1}", 'JSON_INVALID', '1:2'],
  ['a key without quotes', '{a:1}', 'JSON_INVALID', '1:2'],
  ['a comma too many in an array', '[1,\n  2,]', 'JSON_INVALID', '2:5'],
  ['a comma too many in an object', '{"a":1,}', 'JSON_INVALID', '1:8'],
  ['a missing comma', '[1\n2]', 'JSON_INVALID', '2:1'],
  ['a missing colon', '{"a" 1}', 'JSON_INVALID', '1:6'],
  ['a missing value', '{"a":}', 'JSON_INVALID', '1:6'],
  ['a missing bracket', '{"a":[1,2', 'JSON_INVALID', '1:10'],
  ['the wrong bracket', '[1}', 'JSON_INVALID', '1:3'],
  ['a bracket too many', '{}}', 'JSON_INVALID', '1:3'],
  ['an open string', '["abc', 'JSON_INVALID', '1:2'],
  ['a raw control character', '"a\tb"', 'JSON_INVALID', '1:3'],
  ['a raw NUL in a string', '"a\u0000"', 'JSON_INVALID', '1:3'],
  ['an unknown escape', '["\\x41"]', 'JSON_INVALID', '1:3'],
  ['a short escape', '"\\u12"', 'JSON_INVALID', '1:2'],
  ['NaN', 'NaN', 'JSON_INVALID', '1:1'],
  ['Infinity', '[-Infinity]', 'JSON_INVALID', '1:2'],
  ['undefined', '{"a":undefined}', 'JSON_INVALID', '1:6'],
  ['a leading zero', '01', 'JSON_INVALID', '1:2'],
  ['a leading plus', '+1', 'JSON_INVALID', '1:1'],
  ['a bare point', '.5', 'JSON_INVALID', '1:1'],
  ['100,000 open brackets', '['.repeat(100_000), 'JSON_INVALID', '1:100001'],
  ['2^53 + 1', '{"n":9007199254740993}', 'NUMBER_NOT_EXACT', '1:6'],
  ['2^60, which is written back rounded', '1152921504606846976', 'NUMBER_NOT_EXACT', '1:1'],
  ['1e400', '[\n1e400]', 'NUMBER_NOT_EXACT', '2:1'],
  ['1e-400', '1e-400', 'NUMBER_NOT_EXACT', '1:1'],
  ['-0', '[0,-0]', 'NUMBER_NOT_EXACT', '1:4'],
  ['-0.0', '-0.0', 'NUMBER_NOT_EXACT', '1:1'],
  ['-0e5', '-0e5', 'NUMBER_NOT_EXACT', '1:1'],
  ['too many digits', '0.1234567890123456789', 'NUMBER_NOT_EXACT', '1:1'],
  ['a long integer', `1${'0'.repeat(30)}1`, 'NUMBER_NOT_EXACT', '1:1'],
  ['a huge exponent', '1e99999999999999999999', 'NUMBER_NOT_EXACT', '1:1'],
  ['a duplicate key', '{"a":1,"b":{"a":1},\n"a":2}', 'KEY_DUPLICATE', '2:1'],
  ['a duplicate key in other spelling', '{"a":1,"\\u0061":2}', 'KEY_DUPLICATE', '1:8'],
  ['a duplicate empty key', '[{"":1,"":1}]', 'KEY_DUPLICATE', '1:8'],
  ['__proto__', '{"__proto__":{"polluted":true}}', 'KEY_FORBIDDEN'],
  ['__proto__ escaped', '{"a":[{"\\u005f_proto__":1}]}', 'KEY_FORBIDDEN'],
  ['constructor', '{"constructor":{"prototype":{}}}', 'KEY_FORBIDDEN'],
  ['prototype', '[{"prototype":1}]', 'KEY_FORBIDDEN'],
  ['a lone high surrogate', '"\\ud800"', 'VALUE_NOT_JSON'],
  ['a lone low surrogate', '{"a":"x\\udc00"}', 'VALUE_NOT_JSON'],
  ['a lone surrogate in a key', '{"\\ud83d":1}', 'VALUE_NOT_JSON'],
  ['a raw lone surrogate', '"\ud800"', 'VALUE_NOT_JSON'],
  ['129 levels', deep(129), 'VALUE_TOO_DEEP'],
  ['10,000 levels', deep(10_000), 'VALUE_TOO_DEEP'],
  ['100,000 levels', deep(100_000), 'VALUE_TOO_DEEP'],
  ['a huge string', `"${'x'.repeat(17 * 1024 * 1024)}"`, 'VALUE_TOO_LARGE'],
]

const kept: readonly (readonly [text: string, value: unknown])[] = [
  ['1.0', 1],
  ['1e2', 100],
  ['0.10', 0.1],
  ['1E+2', 100],
  ['100e-2', 1],
  ['0e9', 0],
  ['0.0', 0],
  ['-1.50', -1.5],
  ['9007199254740992', 2 ** 53],
  ['9007199254740991', 2 ** 53 - 1],
  ['123456789012345680000', 123456789012345680000],
  ['1.7976931348623157e308', Number.MAX_VALUE],
  ['5e-324', 5e-324],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.1 + 0.2],
  ['"\\ud83d\\ude00"', '😀'],
  ['"\\u0000\\u2028\u2028\\ufeff"', '\u0000\u2028\u2028\ufeff'],
  ['"\\\\\\"-0 {a:1} 1e400"', '\\"-0 {a:1} 1e400'],
  [' \t\r\n{"a" : [ ] }\n', { a: [] }],
  ['{"a":{"a":1},"b":{"a":1}}', { a: { a: 1 }, b: { a: 1 } }],
  ['{"10":1,"2":2,"__proto":3,"toString":4}', { 10: 1, 2: 2, __proto: 3, toString: 4 }],
  ['"a:b,{}"', 'a:b,{}'],
  ['null', null],
  ['true', true],
  ['[]', []],
  ['""', ''],
  ['-5', -5],
]

describe('T1, T2, T3: traps in JSON text', () => {
  test.each(refused.map(([name, text, code, place]) => ({ name, text, code, place })))(
    '$name is refused',
    ({ text, code, place }) => {
      const details = place === undefined ? {} : { details: { place } }
      expect(() => parseJsonText(text)).toThrow(expect.objectContaining({ code, ...details }))
    },
  )

  test.each(kept)('%s is read', (text, value) => {
    expect(parseJsonText(text)).toEqual(value)
  })

  test('nothing was added to Object.prototype', () => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('T3: against JSON.parse', () => {
  const parsed = (text: string): unknown => {
    try {
      return { value: JSON.parse(text) as unknown }
    } catch {
      return undefined
    }
  }
  const ours = (text: string): unknown => {
    try {
      return { value: parseJsonText(text) }
    } catch (error) {
      const { code } = error as { code?: string }
      return code === 'JSON_INVALID' ? undefined : code
    }
  }

  test('what JSON.parse refuses is refused with JSON_INVALID, and nothing else is', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b"',
      '"',
      '\\',
      '\\u00e9',
      '1',
      '-',
      '0',
      '.5',
      'e1',
      'true',
      'null',
      ' ',
      '\n',
      'x',
    )
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
        (text) => {
          const mine = ours(text)
          if (typeof mine === 'string') expect(['KEY_DUPLICATE', 'NUMBER_NOT_EXACT']).toContain(mine)
          else expect(mine).toEqual(parsed(text))
        },
      ),
      { numRuns: 1500 },
    )
  })

  test('one damaged character of a valid text gives the answer of JSON.parse, or a place in the text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('"', ',', '}', ']', '\\', 'x', ''), (text, at, char) => {
        const broken = text.slice(0, at % text.length) + char + text.slice((at % text.length) + 1)
        const mine = ours(broken)
        if (typeof mine !== 'string') expect(mine).toEqual(parsed(broken))
      }),
      { numRuns: 1000 },
    )
  })

  test('T1: every double as JavaScript writes it survives', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
        (number) => {
          expect(survives(String(number))).toBe(true)
          expect(parseJsonText(`[${String(number)}]`)).toEqual([number])
        },
      ),
    )
  })

  test('T1: a decimal survives when its digits are those of the double', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 22n }), fc.integer({ min: -30, max: 30 }))
    fc.assert(
      fc.property(decimal, ([digits, exponent]) => {
        const literal = `${digits}e${exponent}`
        // Exact arithmetic on the text that the double is written as.
        const [mantissa = '', power = '0'] = Number(literal).toExponential().split('e')
        const [whole = '', fraction = ''] = mantissa.split('.')
        const scale = Number(power) - fraction.length
        const low = Math.min(scale, exponent)
        const same = digits * 10n ** BigInt(exponent - low) === BigInt(whole + fraction) * 10n ** BigInt(scale - low)
        expect(survives(literal)).toBe(same)
      }),
      { numRuns: 1000 },
    )
  })
})

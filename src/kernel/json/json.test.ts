import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkJson, JSON_LIMITS, jsonText } from './json.ts'

const codeOf = (run: () => void): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? 'no code'
  }
}
const nested = (depth: number, leaf: unknown = null): unknown => {
  let value = leaf
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { k: value }
  return value
}
const cycle = () => {
  const value: Record<string, unknown> = { list: [] }
  value['list'] = [1, { back: value }]
  return value
}
const holed = () => Object.assign([1, 2, 3], { length: 5 })
const shared = () => {
  let value: unknown = 'leaf'
  for (let i = 0; i < 100; i++) value = [value, value]
  return value
}
const own = (key: string, value: unknown): object => Object.defineProperty({}, key, { value, enumerable: true })
/** Of a realm with an Object and an Array of its own. */
const foreign = (code: string): unknown => runInNewContext(code)
class Point {
  readonly x = 1
}

const refused: readonly (readonly [name: string, value: () => unknown, code: string, path: string])[] = [
  ['undefined', () => undefined, 'VALUE_NOT_JSON', '$'],
  ['an undefined member', () => ({ a: { b: undefined } }), 'VALUE_NOT_JSON', '$.a.b'],
  ['a function', () => ({ f() {} }), 'VALUE_NOT_JSON', '$.f'],
  ['a symbol', () => [Symbol('x')], 'VALUE_NOT_JSON', '$[0]'],
  ['a bigint', () => ({ n: 1n }), 'VALUE_NOT_JSON', '$.n'],
  ['NaN', () => ({ n: Number.NaN }), 'VALUE_NOT_JSON', '$.n'],
  ['Infinity', () => [1, Infinity], 'VALUE_NOT_JSON', '$[1]'],
  ['-Infinity', () => -Infinity, 'VALUE_NOT_JSON', '$'],
  ['-0', () => ({ zero: [-0] }), 'VALUE_NOT_JSON', '$.zero[0]'],
  ['a lone high surrogate', () => '\ud800', 'VALUE_NOT_JSON', '$'],
  ['a lone low surrogate', () => ({ a: 'x\udc00y' }), 'VALUE_NOT_JSON', '$.a'],
  ['surrogates in the wrong order', () => '\ude00\ud83d', 'VALUE_NOT_JSON', '$'],
  ['a key with a lone surrogate', () => own('\ud800', 1), 'VALUE_NOT_JSON', '$'],
  ['a Date', () => ({ at: new Date(0) }), 'VALUE_NOT_JSON', '$.at'],
  ['a Map', () => new Map([[1, 2]]), 'VALUE_NOT_JSON', '$'],
  ['a Set', () => [new Set()], 'VALUE_NOT_JSON', '$[0]'],
  ['a class instance', () => ({ p: new Point() }), 'VALUE_NOT_JSON', '$.p'],
  ['a Buffer', () => Buffer.from('hi'), 'VALUE_NOT_JSON', '$'],
  ['a typed array', () => new Float64Array(2), 'VALUE_NOT_JSON', '$'],
  ['an Error', () => new Error('x'), 'VALUE_NOT_JSON', '$'],
  ['a RegExp', () => /x/, 'VALUE_NOT_JSON', '$'],
  ['a RegExp match', () => /x/.exec('x'), 'VALUE_NOT_JSON', '$'],
  ['a boxed string', () => Object('x') as unknown, 'VALUE_NOT_JSON', '$'],
  ['a Promise', () => Promise.resolve(), 'VALUE_NOT_JSON', '$'],
  ['toJSON of its own', () => ({ toJSON: () => 1 }), 'VALUE_NOT_JSON', '$.toJSON'],
  ['toJSON inherited', () => Object.create({ toJSON: () => 1 }) as unknown, 'VALUE_NOT_JSON', '$'],
  ['an array with toJSON', () => Object.assign([1], { toJSON: () => 2 }), 'VALUE_NOT_JSON', '$'],
  ['an array with a named member', () => ({ a: Object.assign([1], { name: 'x' }) }), 'VALUE_NOT_JSON', '$.a'],
  ['an array subclass', () => new (class extends Array<number> {})(), 'VALUE_NOT_JSON', '$'],
  ['an object that inherits', () => Object.create(Object.create(null)) as unknown, 'VALUE_NOT_JSON', '$'],
  ['a Date of another realm', () => foreign('[new Date(0)]'), 'VALUE_NOT_JSON', '$[0]'],
  ['a class instance of another realm', () => foreign('new (class {})()'), 'VALUE_NOT_JSON', '$'],
  ['an array subclass of another realm', () => foreign('new (class extends Array {})()'), 'VALUE_NOT_JSON', '$'],
  ['a sparse array', () => Object.assign(Array.from({ length: 0 }), { length: 3 }), 'VALUE_NOT_JSON', '$'],
  ['an array with one hole', () => ({ a: holed() }), 'VALUE_NOT_JSON', '$.a'],
  ['an undefined element', () => [1, undefined], 'VALUE_NOT_JSON', '$[1]'],
  ['a symbol key', () => ({ [Symbol('k')]: 1 }), 'VALUE_NOT_JSON', '$'],
  [
    'arguments',
    () =>
      (function f() {
        return arguments
      })(),
    'VALUE_NOT_JSON',
    '$',
  ],
  ['a cycle', cycle, 'VALUE_NOT_JSON', '$.list[1].back'],
  [
    'an array in itself',
    () => {
      const a: unknown[] = []
      a.push(a)
      return a
    },
    'VALUE_NOT_JSON',
    '$[0]',
  ],
  [
    '__proto__ from JSON.parse',
    () => JSON.parse('{"a":{"__proto__":{"polluted":1}}}') as unknown,
    'KEY_FORBIDDEN',
    '$.a',
  ],
  ['constructor', () => ({ constructor: { prototype: 1 } }), 'KEY_FORBIDDEN', '$'],
  ['prototype', () => [{ prototype: 1 }], 'KEY_FORBIDDEN', '$[0]'],
  ['129 levels', () => nested(129), 'VALUE_TOO_DEEP', ''],
  ['10,000 levels', () => nested(10_000), 'VALUE_TOO_DEEP', ''],
  ['a huge string', () => ({ a: 'x'.repeat(JSON_LIMITS.size) }), 'VALUE_TOO_LARGE', '$.a'],
]

const kept: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['true', true],
  ['0', 0],
  ['the empty string', ''],
  ['an empty array', []],
  ['an empty object', {}],
  ['NUL', '\u0000'],
  ['control characters', '\b\t\n\u001f\u007f\u0085'],
  ['U+2028 and U+2029', '\u2028\u2029'],
  ['a byte order mark', '\ufeff{}'],
  ['an astral character', '😀'],
  ['the noncharacter U+FFFF', '\uffff'],
  ['quotes and backslashes', '"\\/\''],
  ['an empty key', { '': { '': 1 } }],
  ['integer-like keys', { 10: 1, 2: 2, b: 3, a: 4 }],
  ['a key with a dot', { 'x.y': 1 }],
  ['proto-like keys', { proto: 1, __proto: 2, toString: 3, hasOwnProperty: 4, toJSON: 5 }],
  ['the largest safe integer', 2 ** 53 - 1],
  ['2^53', 2 ** 53],
  ['the largest number', Number.MAX_VALUE],
  ['the smallest number', 5e-324],
  ['a third', 1 / 3],
  ['128 levels', nested(128)],
  ['no prototype', Object.assign(Object.create(null), { a: 1 })],
  ['lists and objects of another realm', foreign('({ a: [1, { b: [] }] })')],
  [
    'a shared subtree',
    (() => {
      const a = { x: 1 }
      return [a, a]
    })(),
  ],
  ['1 MB', 'é'.repeat(500_000)],
]

describe('J1, J2: traps', () => {
  test.each(refused)('%s is refused', (_, value, code, path) => {
    const details: unknown = path === '' ? expect.anything() : { path }
    expect(() => checkJson(value())).toThrow(expect.objectContaining({ code, details }))
  })

  test.each(kept)('%s is kept', (_, value) => {
    expect(() => checkJson(value)).not.toThrow()
    expect(JSON.parse(JSON.stringify(value))).toEqual(value)
  })

  test('J3: a value that shares itself exponentially is refused', () => {
    expect(() => checkJson(shared(), { depth: 128, size: 100_000 })).toThrow(
      expect.objectContaining({ code: 'VALUE_TOO_LARGE' }),
    )
  })

  test('J3: many small values are too large together', () => {
    expect(() =>
      checkJson(
        Array.from({ length: 60 }, () => 0),
        { depth: 1, size: 100 },
      ),
    ).toThrow(expect.objectContaining({ code: 'VALUE_TOO_LARGE' }))
  })

  test('J3: limits of the caller hold', () => {
    expect(() => checkJson([[1]], { depth: 1, size: 100 })).toThrow(expect.objectContaining({ code: 'VALUE_TOO_DEEP' }))
    expect(() => checkJson('12345', { depth: 1, size: 6 })).toThrow(
      expect.objectContaining({ code: 'VALUE_TOO_LARGE' }),
    )
    expect(() => checkJson('1234', { depth: 1, size: 6 })).not.toThrow()
  })
})

describe('J2: what passes', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: false,
          withSparseArray: true,
          withTypedArray: true,
        }),
        (value) => {
          const code = codeOf(() => checkJson(value))
          if (code !== undefined) {
            expect(code).toMatch(/^(VALUE_NOT_JSON|VALUE_TOO_DEEP|KEY_FORBIDDEN)$/)
            return
          }
          const text = JSON.stringify(value)
          expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text)
          expect(JSON.parse(text)).toStrictEqual(structuredClone(value))
          expect(jsonText(value)).toBe(text)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('is every JSON value but -0 and forbidden keys', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
        if (/-0\b|__proto__|constructor|prototype/.test(text)) return
        const value: unknown = JSON.parse(text)
        expect(() => checkJson(value)).not.toThrow()
        expect(jsonText(value)).toBe(JSON.stringify(value))
      }),
    )
  })
})

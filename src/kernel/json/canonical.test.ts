import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'

/** The same value with its members in another order. */
const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  )
}

describe('RFC 8785', () => {
  test.each<[string, unknown, string]>([
    [
      'members are sorted by UTF-16 units',
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '😀': 5, '\u0080': 6, ö: 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ],
    ['integer-like keys are sorted as text', { 2: 'b', 10: 'a', a: 1, '-1': 0 }, '{"-1":0,"10":"a","2":"b","a":1}'],
    ['also deep inside', { b: [{ x: { 10: 1, 9: 2 } }, 1], a: { 1: 0 } }, '{"a":{"1":0},"b":[{"x":{"10":1,"9":2}},1]}'],
    [
      'numbers are written as ECMAScript writes them',
      [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, 1e21, 1e20, 0.000001, 1e-7],
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,1e+21,100000000000000000000,0.000001,1e-7]',
    ],
    [
      'strings are escaped no more than needed',
      '\u20ac$\u000f\nA\'B"\\/\u2028\u007f',
      '"€$\\u000f\\nA\'B\\"\\\\/\u2028\u007f"',
    ],
    ['scalars stand alone', null, 'null'],
    ['empty containers', [{}, []], '[{},[]]'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text)
    expect(canonicalize(value)).toBe(text)
  })

  test('agrees with canonicalize, whatever the order of the members', () => {
    // A key that is refused at the door.
    const stored = (text: string) => text !== '__proto__'
    const key = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter(stored),
      fc.nat().map(String),
      fc.constantFrom('a', '1', '01', '10', '9', '-1', '4294967295', '4294967294'),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue({ maxDepth: 0, stringUnit: 'grapheme' }),
        fc.dictionary(key, tie('tree')),
        fc.array(tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const text = canonicalJson(value)
        expect(text).toBe(canonicalize(value))
        expect(canonicalJson(shuffled(value))).toBe(text)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('reaches the depth that values may have', () => {
    let value: unknown = 1
    for (let i = 0; i < 200; i++) value = { 10: value, 9: [value === 1] }
    expect(canonicalJson(value)).toBe(canonicalize(value))
  })

  test('neighbours with other keys do not inherit an order', () => {
    const value = [
      { b: 1, a: 2 },
      { b: 1, a: 2 },
      { a: 2, b: 1 },
      { b: 1, c: 2, a: 3 },
      { 2: 1, 10: 2 },
      { 2: 1, 10: 2 },
      { b: 1, a: 2 },
    ]
    expect(canonicalJson(value)).toBe(canonicalize(value))
  })
})

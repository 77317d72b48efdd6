import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { canonicalPieces, jsonPieces } from './pieces.ts'

const joined = (pieces: Iterable<string>): string => [...pieces].join('')

const small = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.string({ unit: 'binary' }))

/** Many members: looked into wherever they are. */
const wide = fc.tuple(fc.integer({ min: 60, max: 70 }), small, fc.boolean()).map(([count, each, isList]) => {
  const all = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? each : i))
  return isList ? all : Object.fromEntries(all.map((member, i) => [i % 2 === 0 ? `k${i}` : String(i), member]))
})

const value = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      small,
      wide,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.nat().map(String)), tie('value'), { maxKeys: 4 }),
    ),
  }))
  // No state has such a member, and where objects are copied it is lost.
  .value.filter((each) => !JSON.stringify(each).includes('__proto__'))

describe('Q1 the pieces, one behind the other, are the text of the whole', () => {
  test('whatever it is', () => {
    fc.assert(
      fc.property(value, (each) => {
        expect(joined(jsonPieces(each))).toBe(JSON.stringify(each))
        expect(joined(canonicalPieces(each))).toBe(canonicalJson(each))
      }),
      { numRuns: 100 },
    )
  })

  test.each<[string, unknown, string]>([
    ['members that are undefined are left out', { a: undefined, b: { c: undefined, d: 1 } }, '{"b":{"d":1}}'],
    ['elements are not', [undefined, [undefined]], '[null,[null]]'],
    ['empty containers', { a: {}, b: [], c: [{}, []] }, '{"a":{},"b":[],"c":[{},[]]}'],
  ])('%s', (_, each, text) => {
    expect(joined(jsonPieces(each))).toBe(text)
    expect(JSON.stringify(each)).toBe(text)
  })
})

test('Q2 a piece of many members is small, also deep inside', () => {
  const tasks = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`t${i}`, { title: 'x'.repeat(100) }]))
  const all = { tasks, deep: { a: { b: tasks } }, list: Object.values(tasks) }
  for (const made of [[...jsonPieces(all)], [...canonicalPieces(all)]]) {
    expect(made.length).toBeGreaterThan(20)
    expect(Math.max(...made.map((piece) => piece.length))).toBeLessThan(70_000)
  }
})

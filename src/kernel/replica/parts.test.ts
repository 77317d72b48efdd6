import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getAt } from '../path/path.ts'
import { fromParts, partOf, peekAt } from './parts.ts'

const json = (value: unknown) => JSON.stringify(value)
const opened = (value: unknown) => {
  const part = partOf(value)
  return part === undefined ? JSON.parse(json(value)) : fromParts(Buffer.from(json(value)), part)
}

/** Objects with long texts in them, some levels deep. */
const members = <T>(value: fc.Arbitrary<T>, most = 6) =>
  fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('a', 'b', '"x":', '1', 'é')), value, {
    maxKeys: most,
    noNullPrototype: true,
  })
const leaf = fc.oneof(
  fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text.replaceAll('-0', '0'))),
  fc
    .tuple(fc.constantFrom('x', 'é€', '"a":1,'), fc.constantFrom(10, 3000, 6000))
    .map(([text, times]) => text.repeat(times)),
)
const states = members(members(members(members(leaf, 3), 3), 4), 3)

test('Q2 an object made of pieces is the object, with its members in their order', () => {
  fc.assert(
    fc.property(states, (state) => {
      expect(json(opened(state))).toBe(json(state))
    }),
    { numRuns: 60 },
  )
})

test('Q2 what is found without parsing the rest is what stands there', () => {
  fc.assert(
    fc.property(
      states,
      fc.array(fc.constantFrom('a', 'b', '"x":', '1', 'é', 'none'), { maxLength: 5 }),
      (state, tail) => {
        const path: string[] = []
        for (let at: unknown = state; typeof at === 'object' && at !== null; at = getAt(at, path.slice(-1))) {
          for (const keys of [path, [...path, ...tail]]) expect(peekAt(opened(state), keys)).toEqual(getAt(state, keys))
          const key = Object.keys(at).at(-1)
          if (key === undefined) break
          path.push(key)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('Q3 a large member can be written without having been read, and is plain once it was touched', () => {
  const long = 'x'.repeat(20_000)
  const state = opened({ data: { big: { long }, small: 1 } })
  const data = getAt(state, ['data']) as Record<string, unknown>
  expect(Object.getOwnPropertyDescriptor(data, 'big')?.get).toBeDefined()
  data['big'] = 2
  expect(Object.getOwnPropertyDescriptor(data, 'big')).toEqual({
    value: 2,
    writable: true,
    enumerable: true,
    configurable: true,
  })
  expect(peekAt(state, ['data', 'big'])).toBe(2)
  expect(json(state)).toBe('{"data":{"big":2,"small":1}}')
})

test('Q2 a large member that is gone, or another one by now, is not found as it was', () => {
  const state = opened({ data: { big: { of: 'x'.repeat(20_000) } } })
  const data = state.data as Record<string, unknown>
  delete data['big']
  expect(peekAt(state, ['data', 'big', 'of'])).toBeUndefined()
  data['big'] = { of: 'new' }
  expect(peekAt(state, ['data', 'big', 'of'])).toBe('new')
})

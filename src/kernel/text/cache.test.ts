import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cachedByText } from './cache.ts'

const CAPACITY = 100

function counted() {
  let made = 0
  const cached = cachedByText(CAPACITY, (text) => {
    made++
    return `made of ${text}`
  })
  /** How often it made one for these. */
  return (...texts: readonly string[]) => {
    const before = made
    for (const text of texts) expect(cached(text)).toBe(`made of ${text}`)
    return made - before
  }
}

const many = (count: number, kind = 'text'): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${kind} ${i}`)

test('C1 as many as the capacity are made once', () => {
  const madeFor = counted()
  expect(madeFor(...many(CAPACITY))).toBe(CAPACITY)
  expect(madeFor(...many(CAPACITY), ...many(CAPACITY))).toBe(0)
})

test('C2 what comes once beside them is not kept, and takes the place of none', () => {
  const madeFor = counted()
  madeFor(...many(CAPACITY))
  expect(madeFor(...many(3000, 'once'))).toBe(3000)
  expect(madeFor(...many(CAPACITY))).toBe(0)
})

test('C2 what comes several times at once is made once, and is not kept for it', () => {
  const madeFor = counted()
  madeFor(...many(CAPACITY))
  for (const text of many(3000, 'at once')) expect(madeFor(text, text, text)).toBe(1)
  expect(madeFor(...many(CAPACITY))).toBe(0)
})

test('C2 what comes again is kept the second time, and what comes no more gives its place', () => {
  const madeFor = counted()
  madeFor(...many(CAPACITY))
  for (const kind of ['others', 'still others', 'others once more']) {
    expect(madeFor(...many(CAPACITY, kind))).toBe(CAPACITY)
    // The last few are still there.
    expect(madeFor(...many(CAPACITY, kind))).toBeGreaterThan(CAPACITY / 2)
    expect(madeFor(...many(CAPACITY, kind))).toBe(0)
  }
  expect(madeFor(...many(CAPACITY))).toBe(CAPACITY)
})

test('C3 also null is made once', () => {
  let made = 0
  const cached = cachedByText(1, () => {
    made++
    return null
  })
  for (const text of ['kept', 'one of the few', 'kept', 'one of the few']) expect(cached(text)).toBeNull()
  expect(made).toBe(2)
})

test('long texts are made each time', () => {
  const madeFor = counted()
  const long = 'x'.repeat(1001)
  expect(madeFor(long, long, long)).toBe(3)
})

test('what it answers is what is made, in any order', () => {
  const text = fc.nat({ max: 500 }).map(String)
  fc.assert(
    fc.property(fc.array(text, { maxLength: 2000, size: 'max' }), (texts) => counted()(...texts) <= texts.length),
    {
      numRuns: 30,
    },
  )
})

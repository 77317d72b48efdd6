import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstClash, overlaps, type Claimer } from './claims.ts'

const CASES: readonly (readonly [a: string, b: string, both: boolean])[] = [
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', './src//a.ts', true],
  ['src/a.ts', 'src/b.ts', false],
  ['src/a.ts', 'src/a.tsx', false],
  ['src', 'src/a/b.ts', true],
  ['src/', 'source/a.ts', false],
  ['sr', 'src/a.ts', false],
  ['.', 'src/a.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['src/*.ts', 'src/*.tsx', false],
  ['src/a*.ts', 'src/*b.ts', true],
  ['src/a*.ts', 'src/b*.ts', false],
  ['src/?.ts', 'src/a.ts', true],
  ['src/?.ts', 'src/ab.ts', false],
  ['src/**', 'src/a/b/c.ts', true],
  ['src/**/c.ts', 'src/c.ts', true],
  ['**/c.ts', 'src/**', true],
  ['docs/**', 'src/**', false],
  ['src/{a,b}.ts', 'src/b.ts', true],
  ['src/{a,b}.ts', 'src/c.ts', false],
  ['src/[ab].ts', 'src/b.ts', true],
  ['{a,b}/{c,d}', 'b/c', true],
  ['{a,b}/{c,d}', 'b/e', false],
  ['*', 'src/a.ts', true],
  ['*.md', 'src/a.ts', false],
]

describe('F1 claims that may mean the same path', () => {
  test.each(CASES)('%s and %s: %s', (a, b, both) => {
    expect(overlaps(a, b)).toBe(both)
    expect(overlaps(b, a)).toBe(both)
  })

  test('F1 whenever a path fits both, they overlap', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 })
    const path = fc.array(name, { minLength: 1, maxLength: 3 })
    const loosen = (segments: readonly string[]) =>
      fc
        .array(fc.nat({ max: 3 }), { minLength: 3, maxLength: 3 })
        .map((how) =>
          segments
            .map((segment, i) => ['**', '*', `${segment.slice(0, 1)}*`, segment][how[i] ?? 3] ?? segment)
            .join('/'),
        )
    const pairs = path.chain((segments) => fc.tuple(loosen(segments), loosen(segments)))
    fc.assert(fc.property(pairs, ([a, b]) => overlaps(a, b)))
  })

  test('F1 patterns made to be slow are compared all the same', () => {
    const long = `${'*a'.repeat(300)}/x`
    expect(overlaps(long, `${'a*'.repeat(300)}/x`)).toBe(true)
    expect(overlaps('{a,b}'.repeat(50), 'a'.repeat(50))).toBe(true)
    expect(overlaps('{'.repeat(500), '}'.repeat(500))).toBe(false)
    expect(overlaps(`${'**/a/'.repeat(100)}b`, `${'**/b/'.repeat(100)}a`)).toBe(true)
  })
})

describe('F2 who may be at work at the same time', () => {
  const one = (name: string, needs: readonly string[], more: Partial<Claimer> = {}): Claimer => ({
    name,
    needs,
    files: ['src/api.ts'],
    ...more,
  })

  test('F2 two that need nothing of each other clash', () => {
    expect(firstClash([one('a', []), one('b', [])])).toEqual({
      first: 'a',
      second: 'b',
      file: 'src/api.ts',
      other: 'src/api.ts',
    })
  })

  test('F2 one that waits for the other does not, also over others', () => {
    expect(firstClash([one('a', []), one('b', ['a'])])).toBeUndefined()
    expect(firstClash([one('a', []), one('m', ['a'], { files: [] }), one('b', ['m'])])).toBeUndefined()
    expect(firstClash([one('b', ['m']), one('m', ['a'], { files: [] }), one('a', [])])).toBeUndefined()
  })

  test('F2 two that wait for the same clash, and those of other lanes do not', () => {
    expect(firstClash([one('a', [], { files: [] }), one('b', ['a']), one('c', ['a'])])).toMatchObject({ first: 'b' })
    expect(firstClash([one('a', [], { lane: 'x' }), one('b', [], { lane: 'y' })])).toBeUndefined()
  })
})

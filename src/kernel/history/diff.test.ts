import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../json/canonical.ts'
import { type Change, diff } from './diff.ts'

type Container = Record<string | number, unknown>

/** D3 as code: removals from the last to the first, so that array tails go from their end. */
const apply = (before: unknown, changes: readonly Change[]): unknown => {
  const holder = { root: structuredClone(before) } as Container
  const ordered = [
    ...changes.filter(({ kind }) => kind !== 'removed'),
    ...changes.filter(({ kind }) => kind === 'removed').reverse(),
  ]
  for (const change of ordered) {
    const keys = ['root', ...change.path]
    const last = keys.pop()!
    const parent = keys.reduce<unknown>((value, key) => (value as Container)[key], holder) as Container
    if (change.kind !== 'removed') parent[last] = structuredClone(change.after)
    else if (Array.isArray(parent)) parent.splice(last as number, 1)
    else delete parent[last]
  }
  return holder['root']
}

const key = fc.constantFrom('a', 'b', 'c', '1', '10', 'toString', 'x.y')
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, 0, 1, '', 'x', true),
    fc.dictionary(key, tie('tree')),
    fc.array(tie('tree'), { maxLength: 4 }),
  ),
}))

describe('D1, D2: what changed', () => {
  test.each<[string, unknown, unknown, readonly Change[]]>([
    ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['a scalar', { a: 1 }, { a: 2 }, [{ kind: 'changed', path: ['a'], before: 1, after: 2 }]],
    ['the root', 1, [1], [{ kind: 'changed', path: [], before: 1, after: [1] }]],
    ['nothing before', undefined, { a: 1 }, [{ kind: 'added', path: [], after: { a: 1 } }]],
    ['nothing after', null, undefined, [{ kind: 'removed', path: [], before: null }]],
    ['nothing at all', undefined, undefined, []],
    ['an added subtree is one change', {}, { a: { b: [1] } }, [{ kind: 'added', path: ['a'], after: { b: [1] } }]],
    ['a removed subtree is one change', { a: { b: [1] } }, {}, [{ kind: 'removed', path: ['a'], before: { b: [1] } }]],
    [
      'a change of kind is one change',
      { a: { b: 1 } },
      { a: [{ b: 1 }] },
      [{ kind: 'changed', path: ['a'], before: { b: 1 }, after: [{ b: 1 }] }],
    ],
    ['null is a value', { a: null }, { a: {} }, [{ kind: 'changed', path: ['a'], before: null, after: {} }]],
    [
      'a longer array has added elements',
      [1],
      [1, 2, 3],
      [
        { kind: 'added', path: [1], after: 2 },
        { kind: 'added', path: [2], after: 3 },
      ],
    ],
    [
      'a shorter array has removed elements',
      [1, 2, 3],
      [0],
      [
        { kind: 'changed', path: [0], before: 1, after: 0 },
        { kind: 'removed', path: [1], before: 2 },
        { kind: 'removed', path: [2], before: 3 },
      ],
    ],
    [
      'names of inherited members are keys like others',
      {},
      { toString: 1 },
      [{ kind: 'added', path: ['toString'], after: 1 }],
    ],
    [
      'D4: keys come sorted',
      { z: 1, m: 1 },
      { b: 2, m: 2, a: 2 },
      [
        { kind: 'added', path: ['a'], after: 2 },
        { kind: 'added', path: ['b'], after: 2 },
        { kind: 'changed', path: ['m'], before: 1, after: 2 },
        { kind: 'removed', path: ['z'], before: 1 },
      ],
    ],
  ])('%s', (_, before, after, changes) => {
    expect(diff(before, after)).toEqual(changes)
  })
})

describe('D3, D4: properties', () => {
  test('D3: applying the changes to the one gives the other', () => {
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(apply(before, diff(before, after))).toEqual(after)
      }),
      { numRuns: 1000 },
    )
  })

  test('D2: there is no change exactly when both are the same value', () => {
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(diff(before, structuredClone(before))).toEqual([])
        expect(diff(before, after).length === 0).toBe(canonicalJson(before) === canonicalJson(after))
      }),
    )
  })

  test('D4: the order of members does not matter', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      )
    }
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(diff(reversed(before), reversed(after))).toEqual(diff(before, after))
      }),
    )
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getAt } from '../path/path.ts'
import { Journal, replaying, type Container } from './edit.ts'
import { removeAt, setAt } from './write-path.ts'

const key = fc.constantFrom<string | number>('a', 'b', 0, 1, 2)
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: 0, max: 9 }),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const root = fc.dictionary(fc.constantFrom('a', 'b'), tree, { noNullPrototype: true })
const change = fc.record({ keys: fc.array(key, { minLength: 1, maxLength: 4 }), value: fc.option(tree) })

const make = (
  at: Container,
  { keys, value }: { readonly keys: readonly (string | number)[]; readonly value: unknown },
  edit = replaying,
) => (value === null ? removeAt(at, keys, edit) : setAt(at, keys, edit.own(value), edit))

test('E1 a journal takes everything back, from its end or from a mark, to the order of members unless it tells', () => {
  fc.assert(
    fc.property(root, fc.array(change), fc.array(change), (given, first, second) => {
      const live = structuredClone(given)
      const journal = new Journal()
      for (const each of first) make(live, each, journal)
      const [between, mark] = [structuredClone(live), journal.mark]
      for (const each of second) make(live, each, journal)
      journal.rollback(mark)
      expect(live).toEqual(between)
      journal.rollback()
      expect(live).toEqual(given)
      if (!journal.isReordered) expect(JSON.stringify(live)).toBe(JSON.stringify(given))
    }),
    { numRuns: 1000 },
  )
})

test('E1 only what was removed and has come back changes the order', () => {
  const live = { a: 1, b: 2 }
  const [set, removed] = [new Journal(), new Journal()]
  set.set(live, 'a', 3)
  set.set(live, 'c', 4)
  set.rollback()
  removed.remove(live, 'a')
  expect([set.isReordered, removed.isReordered]).toEqual([false, false])
  removed.rollback()
  expect([Object.keys(live), removed.isReordered]).toEqual([['b', 'a'], true])
})

test('what is folded live is what is folded again', () => {
  fc.assert(
    fc.property(root, fc.array(change), (given, changes) => {
      const [live, again] = [structuredClone(given), structuredClone(given)]
      for (const each of structuredClone(changes)) make(live, each, new Journal())
      for (const each of structuredClone(changes)) make(again, each)
      expect(live).toEqual(again)
    }),
    { numRuns: 1000 },
  )
})

test('the items behind a removed one move up, and what is not there is not removed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 5 }),
      fc.oneof(fc.nat(7), fc.constantFrom('1', 'x', '-1')),
      (list, at) => {
        const tree = { a: { list: [...list] } }
        removeAt(tree, ['a', 'list', at], replaying)
        expect(getAt(tree, ['a', 'list'])).toEqual(list.filter((_, index) => index !== Number(at)))
      },
    ),
  )
})

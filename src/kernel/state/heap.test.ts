import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyJson, Journal } from './edit.ts'
import { emptyHeap, firstKeys, keysUpTo, leastOf, put, take, type Heap } from './heap.ts'

type Change = readonly [key: string, order: number | null]

const changes = fc.array(
  fc.tuple(
    fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'),
    fc.option(fc.integer({ min: 0, max: 9 }), { freq: 3 }),
  ),
  { maxLength: 60 },
)

function apply(heap: Heap, list: readonly Change[], journal = new Journal()): Map<string, number> {
  const model = new Map<string, number>()
  for (const [key, order] of list) {
    if (order === null) {
      take(heap, key, journal)
      model.delete(key)
    } else {
      put(heap, key, order, journal)
      model.set(key, order)
    }
  }
  return model
}

const sorted = (model: Map<string, number>) =>
  [...model].toSorted(([a, i], [b, j]) => i - j || (a < b ? -1 : 1)).map(([key]) => key)

test('a heap gives keys by number and then by name after any changes', () => {
  fc.assert(
    fc.property(changes, fc.nat(9), fc.nat(5), (list, most, count) => {
      const heap = emptyHeap()
      const model = apply(heap, list)
      const upTo = new Map([...model].filter(([, order]) => order <= most))
      expect(heap.size).toBe(model.size)
      expect(leastOf(heap)).toBe(model.size === 0 ? undefined : Math.min(...model.values()))
      expect(keysUpTo(heap, most)).toEqual(sorted(upTo))
      expect(firstKeys(heap, count)).toEqual(sorted(model).slice(0, count))
      expect(firstKeys(heap, count, most)).toEqual(sorted(upTo).slice(0, count))
    }),
  )
})

test('E1 undoing the changes of a heap gives back what was there', () => {
  fc.assert(
    fc.property(changes, changes, (before, after) => {
      const heap = emptyHeap()
      apply(heap, before)
      const was = copyJson(heap)
      const journal = new Journal()
      apply(heap, after, journal)
      journal.rollback()
      expect(heap).toEqual(was)
    }),
  )
})

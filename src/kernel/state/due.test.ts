import { expect, test } from 'vitest'
import { expiryOf, nextDue } from './due.ts'
import { replaying } from './edit.ts'
import { emptyHeap, put } from './heap.ts'
import type { Module } from './module.ts'

const module = (more: Partial<Module>): Module => ({ slice: 'x', initial: () => ({}), evolve: {}, ...more })
const event = { type: 'x.ended', data: {} }

test('the first moment of all modules counts; none when nothing waits', () => {
  expect(nextDue([module({})], {}, 100)).toBeUndefined()
  expect(
    nextDue([module({ due: () => undefined }), module({ due: () => 70 }), module({ due: () => 90 })], {}, 50),
  ).toBe(70)
})

test('a module that cannot tell is asked again in a second, and at once when it has something', () => {
  expect(nextDue([module({ expire: () => [] }), module({ due: () => 5000 })], {}, 100)).toBe(1100)
  expect(nextDue([module({ expire: () => [event] })], {}, 100)).toBe(100)
})

test('a moment that is past stays due', () => {
  expect(nextDue([module({ due: () => 0, expire: () => [event] })], {}, 100)).toBe(0)
})

test('deadlines with a place: the module is asked when the first of them is over, or is now', () => {
  const heap = emptyHeap()
  put(heap, 'a', 700, replaying)
  put(heap, 'b', 900, replaying)
  const root = { outer: { inner: { leases: heap } } }
  const asked: number[] = []
  const expire = (_: unknown, now: number) => (asked.push(now), [event])
  const timed = module({ slice: 'outer.inner', deadlines: 'outer.inner.leases', expire })
  expect(nextDue([timed], root, 100)).toBe(700)
  expect(
    [{}, { outer: {} }, { outer: { inner: { leases: emptyHeap() } } }].map((each) => nextDue([timed], each, 100)),
  ).toEqual([undefined, undefined, undefined])
  expect([100, 699, 700, 701].map((now) => expiryOf(timed)?.(root, now, 1))).toEqual([[], [], [event], [event]])
  expect(asked).toEqual([700, 701])
})

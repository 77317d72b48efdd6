import { expect, test } from 'vitest'
import { nextDue } from './due.ts'
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

import { expect, test } from 'vitest'
import { uuid7 } from './uuid.ts'

test('an id is a UUID of version 7 that carries its time', () => {
  const now = Date.UTC(2100, 0, 1)
  const id = uuid7(now)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now)
})

test('ids of one process differ and grow, also when the clock stands still or goes back', () => {
  const start = Date.UTC(2101, 0, 1)
  const ids = Array.from({ length: 20_000 }, (_, i) => uuid7(i < 15_000 ? start : start - 7_200_000))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(ids.toSorted())
})

test('each of the four variants occurs about as often', () => {
  const seen = new Map<string, number>()
  for (let i = 0; i < 8000; i++) {
    const variant = uuid7(Date.UTC(2102, 0, 1)).charAt(19)
    seen.set(variant, (seen.get(variant) ?? 0) + 1)
  }
  expect([...seen.keys()].toSorted()).toEqual(['8', '9', 'a', 'b'])
  for (const count of seen.values()) expect(count).toBeGreaterThan(1600)
})

import { expect, test } from 'vitest'
import { scaleOf } from './scale.ts'

const MINUTE = 60_000

test('time without a gap is drawn in proportion', () => {
  const { x, gaps } = scaleOf(
    [
      { start: 0, end: 500 },
      { start: 400, end: 1000 },
    ],
    200,
  )
  expect([x(0), x(250), x(1000)]).toEqual([0, 50, 200])
  expect(gaps).toEqual([])
})

test('a night is cut to a gap that says how long it was', () => {
  const { x, gaps } = scaleOf(
    [
      { start: 0, end: MINUTE },
      { start: 100 * MINUTE, end: 101 * MINUTE },
    ],
    226,
  )
  expect(gaps).toEqual([{ x: 100, width: 26, ms: 99 * MINUTE }])
  expect([x(MINUTE), x(100 * MINUTE), x(101 * MINUTE)]).toEqual([100, 126, 226])
})

test('places never go back while time goes on', () => {
  const { x } = scaleOf(
    [
      { start: 5, end: 9000 },
      { start: 90_000, end: 91_000 },
      { start: 92_000, end: 400_000, open: true },
    ],
    300,
  )
  const places = Array.from({ length: 500 }, (_, i) => x(i * 1000))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(Math.max(...places)).toBeCloseTo(300)
})

test('an empty story has a scale', () => {
  expect(scaleOf([], 100).x(5)).toBeGreaterThanOrEqual(0)
})

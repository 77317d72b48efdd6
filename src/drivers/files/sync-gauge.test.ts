import { expect, test } from 'vitest'
import { SyncGauge } from './sync-gauge.ts'

function after(samples: readonly number[], isAlone = true, gauge = new SyncGauge()): SyncGauge {
  for (const ms of samples) {
    gauge.blocking(isAlone)
    gauge.note(ms)
  }
  return gauge
}

const times = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms)

test.each([true, false])('a few long syncs among short ones change nothing (alone: %s)', (isAlone) => {
  const samples = Array.from({ length: 100 }, () => [500, 0.1, 40, 0.1, 0.2]).flat()
  const gauge = new SyncGauge()
  for (const ms of samples) {
    expect(gauge.blocking(isAlone)).toBe(true)
    gauge.note(ms)
  }
})

test('a slow disk is waited for on the thread pool, later where others write', () => {
  expect(after(times(20, 1.5)).blocking(true)).toBe(false)
  expect(after(times(20, 1.5), false).blocking(false)).toBe(true)
  expect(after(times(20, 8), false).blocking(false)).toBe(false)
})

test('a slow moment is over as soon as it is over, however long it was', () => {
  const gauge = after(times(1000, 300))
  expect(gauge.blocking(true)).toBe(false)
  // The trip through the thread pool is in these.
  after(times(8, 0.5), true, gauge)
  expect(gauge.blocking(true)).toBe(true)
})

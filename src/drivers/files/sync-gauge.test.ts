import { expect, test } from 'vitest'
import { SyncGauge } from './sync-gauge.ts'

test.each([true, false])('one long sync among short ones changes nothing (alone: %s)', (isAlone) => {
  const gauge = new SyncGauge()
  expect(gauge.blocking(isAlone)).toBe(true)
  gauge.note(500)
  expect(gauge.blocking(isAlone)).toBe(true)
})

test('a slow disk is waited for on the thread pool, later where others write', () => {
  const gauge = new SyncGauge()
  const noted = (isAlone: boolean) => {
    for (let i = 0; i < 20; i++) {
      gauge.blocking(isAlone)
      gauge.note(1)
    }
    return gauge.blocking(isAlone)
  }
  expect(noted(true)).toBe(false)
  expect(noted(false)).toBe(true)
})

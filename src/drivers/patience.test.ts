/* Y1 to Y3 of patience.ts. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Patience } from './patience.ts'

const MS = 30_000
const AWAY = new Error('away')
const HURRY_MS = 5000

let patience: Patience
beforeEach(() => {
  vi.useFakeTimers()
  patience = new Patience(MS)
})
afterEach(() => void vi.useRealTimers())

/** For how long a call that begins now tries again, once a second. */
function triesFor(): number {
  const began = Date.now()
  while (patience.lasts(began, AWAY)) vi.advanceTimersByTime(1000)
  return Date.now() - began
}

test('Y1 calls that wait for one another share one patience, and are tried once behind it', () => {
  expect(triesFor()).toBe(MS)
  expect([triesFor(), triesFor()]).toEqual([0, 0])
})

test('Y1 behind it the store is tried once a second', async () => {
  const task = vi.fn<() => Promise<string>>(() => Promise.reject(AWAY))
  const asked = async () => {
    await patience.tried(task).catch(() => patience.lasts(Date.now(), AWAY))
    return task.mock.calls.length
  }
  await asked()
  triesFor()
  expect([await asked(), await asked(), await asked()]).toEqual([2, 2, 2])
  await expect(patience.tried(task)).rejects.toBe(AWAY)
  vi.advanceTimersByTime(1000)
  expect([await asked(), await asked()]).toEqual([3, 3])
})

test('Y1 a call that comes later is as patient as is left', () => {
  expect(patience.lasts(Date.now(), AWAY)).toBe(true)
  vi.advanceTimersByTime(10_000)
  expect(triesFor()).toBe(MS - 10_000)
})

const answered = () => patience.tried(() => Promise.resolve('yes'))

test('Y2 a store that answered is trusted anew', async () => {
  expect(triesFor()).toBe(MS)
  expect(await answered()).toBe('yes')
  expect(triesFor()).toBe(MS)
})

test('Y2 so is one that failed long ago', () => {
  expect(triesFor()).toBe(MS)
  vi.advanceTimersByTime(MS + 1)
  expect(triesFor()).toBe(MS)
})

test('Y2 a call that alone fails while others are answered has an end', async () => {
  const began = Date.now()
  while (patience.lasts(began, AWAY)) {
    await answered()
    vi.advanceTimersByTime(1000)
  }
  expect(Date.now() - began).toBe(MS)
})

test('Y3 who is about to end tries again a few seconds more', () => {
  expect(patience.lasts(Date.now(), AWAY)).toBe(true)
  patience.hurry()
  expect(triesFor()).toBe(HURRY_MS)
})

const silent = () => new Promise<never>(() => {})

test.each([
  ['under way', async () => void setTimeout(() => patience.hurry(), 1000)],
  ['begun then', async () => patience.hurry()],
])('Y3 a try %s that has no answer is given up', async (_when, hurry) => {
  await hurry()
  const told = patience.tried(silent).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(HURRY_MS + 1000)
  expect(await told).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' })
})

test('Y3 what is answered in time is taken, however long after the signal it is asked', async () => {
  patience.hurry()
  await vi.advanceTimersByTimeAsync(10 * HURRY_MS)
  expect(await answered()).toBe('yes')
})

test('Y3 many tries at once are given up together', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  const all = Array.from({ length: 64 }, () => patience.tried(silent).catch(() => 'late'))
  patience.hurry()
  await vi.advanceTimersByTimeAsync(HURRY_MS)
  expect(new Set(await Promise.all(all))).toEqual(new Set(['late']))
  expect(warned).not.toHaveBeenCalled()
})

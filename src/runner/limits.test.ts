import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deadlines, watchOver } from './limits.ts'
import { Notice, withNotice } from './notice.ts'

test.each([
  [1_000, 10_000, 11_000],
  [60_000, 10_000, 70_000],
  [100_000, 10_000, 110_000],
  [3_600_000, 10_000, 3_960_000],
])('Z1 a step of %i ms gets SIGTERM then, and SIGKILL at 110 %% but not before the grace', (timeout, grace, hard) => {
  expect(deadlines(timeout, grace)).toEqual({ soft: timeout, hard })
})

/** Of a worker with so much time that has had `spent` of it: the signals it got, by the fake clock. */
function watched(timeout_ms: number, spent: number) {
  const began = Date.now() - spent
  const stop = vi.fn<(signal: string) => void>()
  const ended = new Promise<never>(() => {})
  const worker = { pid: 1, spent: () => Date.now() - began, ended, stop, extend: () => {}, detach: () => {} }
  const isOurs = () => Promise.resolve(true)
  const over = watchOver(worker, { timeout_ms, scale: 1, stop: new Notice(), isOurs, tell: () => {} })
  return { signals: () => stop.mock.calls.map(([signal]) => signal), over }
}

describe('by a clock of its own', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  test('Z1 a time that no timer can hold is kept, too', async () => {
    const DAY = 86_400_000
    const { signals, over } = watched(60 * DAY, 0)
    await vi.advanceTimersByTimeAsync(60 * DAY - 1)
    expect(signals()).toEqual([])
    await vi.advanceTimersByTimeAsync(6 * DAY + 1)
    expect(signals()).toEqual(['SIGTERM', 'SIGKILL'])
    over()
  })

  test('Z1 one that is long over its time when somebody looks has the grace all the same', async () => {
    const { signals, over } = watched(60_000, 3_600_000)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(signals()).toEqual(['SIGTERM'])
    await vi.advanceTimersByTimeAsync(1)
    expect(signals()).toEqual(['SIGTERM', 'SIGKILL'])
    over()
  })
})

test('a notice is told once, also to who comes late, and not to who left', () => {
  const notice = new Notice()
  const told: string[] = []
  notice.on(() => told.push('first'))
  notice.on(() => told.push('left'))()
  notice.tell()
  notice.tell()
  notice.on(() => told.push('late'))
  expect(told).toEqual(['first', 'late'])
})

test('a notice follows its signal, also one that has aborted', async () => {
  const told = await withNotice(AbortSignal.abort(), (notice) => Promise.resolve(notice.told))
  expect([told, await withNotice(undefined, (notice) => Promise.resolve(notice.told))]).toEqual([true, false])
})

test('many that follow one signal make no warning', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const stop = new AbortController()
  const told = (notice: Notice) => new Promise<boolean>((resolve) => notice.on(() => resolve(notice.told)))
  const all = Array.from({ length: 20 }, () => withNotice(stop.signal, told))
  stop.abort()
  expect(new Set(await Promise.all(all))).toEqual(new Set([true]))
  expect(warned).not.toHaveBeenCalled()
  warned.mockRestore()
})

import { expect, test, vi } from 'vitest'
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

test('Z1 a time that no timer can hold is kept, too', async () => {
  vi.useFakeTimers()
  try {
    const DAY = 86_400_000
    const stop = vi.fn<(signal: string) => void>()
    const worker = {
      pid: 1,
      spent: () => 0,
      ended: new Promise<never>(() => {}),
      stop,
      extend: () => {},
      detach: () => {},
    }
    const limits = {
      timeout_ms: 60 * DAY,
      scale: 1,
      stop: new Notice(),
      isOurs: () => Promise.resolve(true),
      tell: () => {},
    }
    const over = watchOver(worker, limits)
    await vi.advanceTimersByTimeAsync(60 * DAY - 1)
    expect(stop).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(6 * DAY + 1)
    expect(stop.mock.calls.map(([signal]) => signal)).toEqual(['SIGTERM', 'SIGKILL'])
    over()
  } finally {
    vi.useRealTimers()
  }
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

import { afterEach, expect, test, vi } from 'vitest'
import { runHot } from './hook-main.ts'

afterEach(() => vi.useRealTimers())

test('a hook that is another program’s to answer leaves no timer behind, which that would wait for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  expect(await runHot(['hook', '--help'])).toBe(undefined)
  expect(vi.getTimerCount()).toBe(0)
})

import { afterEach, expect, test, vi } from 'vitest'
import { host } from './host.ts'

afterEach(() => void vi.restoreAllMocks())

const deferred = () => new Promise<void>((resolve) => host.defer(resolve))

test('what is deferred comes behind all promises that are settled', async () => {
  const order: string[] = []
  const later = deferred().then(() => order.push('deferred'))
  await Promise.resolve()
  order.push('promise')
  await later
  expect(order).toEqual(['promise', 'deferred'])
})

test('tasks that follow one another let the event loop turn, also when the clock was set back', async () => {
  await deferred()
  const real = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000)
  let turned = false
  setImmediate(() => (turned = true))
  for (let i = 0; i < 50; i++) await deferred()
  expect(turned).toBe(true)
})

test('a test that stops the clock stops no write', async () => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'Date'] })
  try {
    for (let i = 0; i < 3; i++) await deferred()
  } finally {
    vi.useRealTimers()
  }
})

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

test('who asks again because of an answer waits for no other event', async () => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  await deferred()
  let turned = false
  setImmediate(() => (turned = true))
  host.answered()
  await deferred()
  expect(turned).toBe(false)
})

test('who asks from an event waits for those who ask from the events beside it', async () => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  await deferred()
  host.answered()
  const order: string[] = []
  await new Promise<void>((resolve) => {
    setImmediate(() =>
      host.defer(() => {
        order.push('deferred')
        resolve()
      }),
    )
    setImmediate(() => order.push('beside'))
  })
  expect(order).toEqual(['beside', 'deferred'])
})

test('callers who ask again and again let the event loop turn', async () => {
  const until = performance.now() + 5000
  let turned = false
  setImmediate(() => (turned = true))
  while (!turned && performance.now() < until) {
    host.answered()
    await deferred()
  }
  expect(turned).toBe(true)
})

test('they do so where the clock was set back, too', async () => {
  await deferred()
  const real = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000)
  let turned = false
  setImmediate(() => (turned = true))
  for (let i = 0; i < 50; i++) {
    host.answered()
    await deferred()
  }
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

test('pieces have the hash of what they are one behind the other, however many they are', () => {
  const pieces = ['\u20ac', Buffer.from('two'), '', 'x'.repeat(100_000)]
  for (let count = 0; count <= pieces.length; count++) {
    const some = pieces.slice(0, count)
    const whole = Buffer.concat(some.map((piece) => Buffer.from(piece as string)))
    expect(host.digest(some.values())).toBe(host.sha256(whole))
  }
})

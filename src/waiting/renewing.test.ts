/* When a lease counts as lost: by a no, or when it has run out without an answer. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Answer } from '../kernel/operation/answer.ts'
import { renewing, type Renewing } from './renewing.ts'

const TTL_MS = 3000
const RENEWED: Answer = { kind: 'accepted', seq: 1, events: [], value: {} }
const HELD: Answer = { kind: 'refused', code: 'LEASE_HELD', message: 'of somebody else' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

let kept: Renewing
afterEach(() => clearInterval(kept.timer))

/** Renews with `renew`, and answers why it was lost, by turns. */
function keep(renew: () => Promise<Answer>): readonly string[] {
  const lost: string[] = []
  const now = () => Date.now()
  kept = renewing({ ttl_ms: TTL_MS, asked: now(), now, renew, lost: ({ message }) => lost.push(message) })
  return lost
}

test('a no is a loss at once', async () => {
  const lost = keep(() => Promise.resolve(HELD))
  await vi.advanceTimersByTimeAsync(TTL_MS / 3)
  expect(lost).toEqual(['of somebody else'])
})

test('a store that fails is a loss when the lease has run out', async () => {
  const lost = keep(() => Promise.reject(new Error('unreachable')))
  await vi.advanceTimersByTimeAsync(TTL_MS)
  expect(lost).toEqual([])
  await vi.advanceTimersByTimeAsync(TTL_MS / 3)
  expect(lost).toEqual(['unreachable'])
})

test('a store that does not answer at all is one, too, and is asked no second time meanwhile', async () => {
  const renew = vi.fn<() => Promise<Answer>>(() => new Promise(() => {}))
  const lost = keep(renew)
  await vi.advanceTimersByTimeAsync(TTL_MS)
  expect(lost).toEqual([])
  await vi.advanceTimersByTimeAsync(TTL_MS)
  expect(lost[0]).toContain('unanswered')
  expect(renew).toHaveBeenCalledOnce()
})

test('a process that was stopped in between gets its answer first', async () => {
  let answer: (answer: Answer) => void = () => {}
  const lost = keep(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  await vi.advanceTimersByTimeAsync(TTL_MS / 3)
  vi.setSystemTime(Date.now() + 10 * TTL_MS)
  await vi.advanceTimersByTimeAsync(TTL_MS / 3)
  expect(lost).toEqual([])
  answer(RENEWED)
  await vi.advanceTimersByTimeAsync(TTL_MS)
  expect(lost).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { classify, retryDelay } from './failure.ts'

describe('failures', () => {
  test.each([
    [1, undefined, 'transient', false],
    [137, undefined, 'transient', false],
    [75, undefined, 'transient', true],
    [77, undefined, 'terminal', false],
    [127, undefined, 'terminal', false],
    [1, 'terminal:quota', 'terminal', false],
    [78, 'transient:rate limit', 'transient', true],
    [0, 'terminal', 'terminal', false],
    [1, 'nonsense', 'transient', false],
  ])('F1–F3 exit %s, saying %s → %s', (exit, said, kind, asked) => {
    expect(classify(exit, said)).toMatchObject({ class: kind, asked })
  })

  test.each([
    [1, 'terminal:quota', 'quota'],
    [3, 'transient', 'exit 3'],
    [0, 'no key was found', 'no key was found'],
    [77, 'terminally so', 'terminally so'],
    [75, ' ', 'the worker asks to be run again (exit 75)'],
  ])('F1 exit %s, saying "%s": %s', (exit, said, reason) => {
    expect(classify(exit, said).reason).toBe(reason)
  })

  test('F1 a reason is cut between characters, never inside one', () => {
    expect(classify(1, `terminal:${'q'.repeat(499)}🚀`).reason).toBe('q'.repeat(499))
  })

  test('delays are 0, 2, 4, 8, 16 s and up to a quarter more', () => {
    expect([1, 2, 3, 4, 5, 6].map((failures) => retryDelay(failures, 0))).toEqual([0, 2000, 4000, 8000, 16_000, 16_000])
    expect(retryDelay(3, 0.999999)).toBe(5000)
    expect(retryDelay(3, 0, 0.01)).toBe(40)
  })
})

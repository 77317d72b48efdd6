import { expect, test } from 'vitest'
import type { Session } from '../../../kernel/session.ts'
import { LastCommits } from './last-commits.ts'

/** As far as it is looked at: of its commits the first `count` are read, then no more can be. */
const sessionWith = (about: { seq: number; lives: number; count: number }): Session =>
  ({
    ...about,
    async *commits() {
      for (let seq = 1; seq <= about.count; seq++) yield { seq }
      throw new Error('cannot be read on')
    },
    // What is left out is not asked for.
  }) as unknown as Session

async function lastOf(session: Session) {
  const signal = new AbortController().signal
  let changes = 0
  const last = new LastCommits(session, { count: 2, signal, changed: () => (changes += 1) })
  await expect.poll(() => changes).toBe(session.seq + 1)
  return last
}

test('the last of many are kept, and hold for their session while there are no others', async () => {
  const session = sessionWith({ seq: 3, lives: 0, count: 3 })
  const last = await lastOf(session)
  expect(last.all.map(({ seq }) => seq)).toEqual([2, 3])
  expect(last.holdFor(session)).toBe(true)
  expect(last.holdFor(sessionWith({ seq: 3, lives: 0, count: 3 }))).toBe(false)
})

test('they hold no more where another log took the place of theirs, or theirs went on after it could not be read', async () => {
  for (const then of [{ lives: 1 }, { seq: 4 }]) {
    const session = sessionWith({ seq: 3, lives: 0, count: 3 })
    const last = await lastOf(session)
    Object.assign(session, then)
    expect(last.holdFor(session)).toBe(false)
  }
})

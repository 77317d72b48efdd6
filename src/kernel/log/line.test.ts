import fc from 'fast-check'
import { test } from 'vitest'
import type { Draft } from './commit.ts'
import { lineText, wordsOf } from './line.ts'

test('a commit stands with its number, whatever that is', () => {
  const draft: Draft = { seq: 0, at: '2026-01-01T00:00:00.000Z', id: 'i', actor: 'a', op: 'o', cause: null, events: [] }
  const words = wordsOf(draft)
  fc.assert(
    fc.property(fc.oneof(fc.nat({ max: 10_000 }), fc.maxSafeNat()), (seq) =>
      lineText({ ...draft, seq }, words, '').startsWith(`{"v":1,"seq":${String(seq)},"at":"`),
    ),
    { examples: [[999], [1000], [1001], [1999], [2000], [Number.MAX_SAFE_INTEGER]] },
  )
})

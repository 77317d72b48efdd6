import { expect, test } from 'vitest'
import { refuse } from './decision.ts'
import { EngineError } from './error.ts'

test('of a name of any length the message and the hint hold both ends, and no half of a character', () => {
  const name = '😀'.repeat(1_500_000)
  const { message, hint = '' } = new EngineError('NOT_FOUND', `no task "${name}" here\nsecond line`, {
    hint: `steadfold task show ${name}`,
  })
  const refusal = refuse('NOT_FOUND', `no task "${name}"`, { hint: `steadfold task show ${name}` })
  for (const text of [message, hint, refusal.message, refusal.hint ?? name]) {
    expect(text.length).toBeLessThan(1000)
    expect(text).not.toMatch(/\p{Surrogate}/u)
  }
  expect(message).toMatch(/^no task "😀.*… 2999\d{3} characters ….*😀" here\nsecond line$/u)
  expect(new EngineError('NOT_FOUND', 'x'.repeat(1000)).message).toBe('x'.repeat(1000))
})

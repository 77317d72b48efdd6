import { expect, test } from 'vitest'
import type { RunResult } from '../../../kernel/work/runner.ts'
import { makePaint } from '../show/paint.ts'
import { resultText } from './run-view.ts'

const NOTHING = { tokens: 0, cost_usd: 0, duration_ms: 0 }
const result: RunResult = {
  status: 'completed',
  session: { id: 's', name: 'build' },
  workflow: 'build',
  state: 'only',
  seq: 12,
  resumed: null,
  steps: { ran: ['a', 'b'], reused: [], failed: [], parked: [], skipped: [] },
  spent: { tokens: 1842, cost_usd: 0, duration_ms: 7000 },
  saved: NOTHING,
  code: undefined,
  message: 'completed',
  hint: undefined,
}

test('the time of a run is that from its beginning to its end; what its steps worked has a name', () => {
  const [, line] = resultText(result, 184_000, makePaint(false)).split('\n')
  expect(line).toBe('  2 steps run  in 3m 04s; their work: 7s, 1,842 tokens')
})

test('of a run in which nothing worked only its time is said', () => {
  const [, line] = resultText({ ...result, spent: NOTHING }, 40, makePaint(false)).split('\n')
  expect(line).toBe('  2 steps run  in 40ms')
})

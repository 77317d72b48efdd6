import { expect, test } from 'vitest'
import type { Agent } from '../context/agent-names.ts'
import { isQuota, streamReader } from './stream.ts'

/** What it has told last of what was used. */
function usedOf(agent: Agent, lines: readonly object[]) {
  const read = streamReader(agent)
  return lines.flatMap((line) => read(JSON.stringify(line))).findLast(({ kind }) => kind === 'used')
}

const said = (id: string, tokens: number) => ({ type: 'assistant', message: { id, usage: { input_tokens: tokens } } })
const result = (tokens: number, more: object) => ({
  type: 'result',
  subtype: 'success',
  usage: { input_tokens: tokens },
  ...more,
})

test('R2 what Codex tells with each turn is the total of all, and counts once', () => {
  const turn = (input_tokens: number) => ({ type: 'turn.completed', usage: { input_tokens, output_tokens: 10 } })
  expect(usedOf('codex', [turn(100), turn(250)])).toMatchObject({ tokens: 260 })
})

test('R2 the turns of Claude Code are summed, and its cost is that of all of them', () => {
  const lines = [
    said('m1', 90),
    result(100, { total_cost_usd: 1 }),
    said('m2', 25),
    result(30, { total_cost_usd: 1.5 }),
  ]
  expect(usedOf('claude', lines.slice(0, 3))).toMatchObject({ tokens: 125, cost_usd: 1 })
  expect(usedOf('claude', lines)).toMatchObject({ tokens: 130, cost_usd: 1.5 })
})

test('R2 what the models of Claude Code used counts where it is told: its subagents, too', () => {
  const modelUsage = {
    opus: { inputTokens: 100, outputTokens: 20, cacheReadInputTokens: 7, cacheCreationInputTokens: 3, costUSD: 1 },
    haiku: { inputTokens: 40, outputTokens: 5 },
  }
  const lines = [said('m1', 90), said('sub-1', 40), result(100, { modelUsage, total_cost_usd: 1 })]
  expect(usedOf('claude', lines)).toMatchObject({ tokens: 175 })
  expect(usedOf('claude', [...lines, said('m2', 5)])).toMatchObject({ tokens: 180, cost_usd: 1 })
})

test('R2 a cost that was told stays where a later turn tells none', () => {
  expect(usedOf('claude', [result(1, { total_cost_usd: 2 }), result(1, {})])).toMatchObject({ cost_usd: 2 })
})

test('R3 why a run of opencode ended is told by either version of it, and a limit by its type, too', () => {
  const end = (error: object) =>
    streamReader('opencode')(JSON.stringify({ type: 'error', sessionID: 'ses_1', error })).at(-1)
  expect(end({ name: 'APIError', data: { message: 'no such model' } })).toMatchObject({
    cause: 'failed',
    reason: 'no such model',
  })
  expect(end({ type: 'provider.auth', message: 'no key' })).toMatchObject({ cause: 'failed', reason: 'no key' })
  expect(end({ type: 'unknown', message: 'Rate limit exceeded' })).toMatchObject({ cause: 'quota' })
  expect(end({ type: 'provider.rate-limit', message: 'try later' })).toMatchObject({
    cause: 'quota',
    reason: 'try later',
  })
  expect(end({})).toMatchObject({ cause: 'failed', reason: 'error' })
})

test.each([
  "You've hit your session limit · resets 3pm",
  "You've hit your weekly limit",
  "You've hit your org's monthly spend limit",
  "You've reached your Opus limit",
  "You've hit your team's pooled group budget",
  "Your seat type doesn't include usage credits",
  'You hit your usage limit. Try again later.',
  'Your workspace is out of credits. Add credits to continue.',
  'You hit the spend cap set by the owner of your workspace.',
  'Free usage exceeded, subscribe to Go',
])('R3 a limit of the provider: %s', (message) => expect(isQuota(message)).toBe(true))

test.each(['File not found: limits.ts', 'you hit your own test', 'the cap is on the limit'])(
  'R3 no limit of the provider: %s',
  (message) => expect(isQuota(message)).toBe(false),
)

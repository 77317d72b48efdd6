import { expect, test } from 'vitest'
import type { Fact } from './fact.ts'
import { straysOf } from './strays.ts'

const at = (time: number, run: string, event: string, more: Partial<Fact> = {}) => {
  const value = Buffer.from(JSON.stringify({ session_id: run, hook_event_name: event }))
  return {
    time,
    fact: {
      id: `1-${time}`,
      session: '',
      actor: 'tool:hook',
      op: 'activity.record',
      name: 'claude',
      at: '',
      value,
      ...more,
    },
  }
}

test('each run counts from its first fact, those that name a session or no run are left out', () => {
  const facts = [
    at(1000, 'one', 'SessionStart'),
    at(2000, 'two', 'PreToolUse'),
    at(3000, 'one', 'PreToolUse'),
    at(4000, 'named', 'PreToolUse', { session: 'build' }),
    at(5000, 'shell', '', { op: 'output.set', name: 'k' }),
    at(6000, 'none', '', { value: Buffer.from('no JSON') }),
    at(7000, 'two', 'PreToolUse', { name: 'codex' }),
  ]
  const since = (time: number) => new Date(time).toISOString()
  expect(straysOf(facts)).toEqual([
    { agent: 'claude', run: 'one', told: 2, since: since(1000), over: false },
    { agent: 'claude', run: 'two', told: 1, since: since(2000), over: false },
    { agent: 'codex', run: 'two', told: 1, since: since(7000), over: false },
  ])
})

test.each(['SessionEnd', 'session.deleted', 'dispose'])(
  'one that told %s is over, until it tells of something else',
  (event) => {
    const facts = [at(1000, 'one', 'Stop'), at(2000, 'one', event)]
    expect(straysOf(facts)).toMatchObject([{ over: true }])
    expect(straysOf([...facts, at(3000, 'one', 'SessionStart')])).toMatchObject([{ over: false }])
  },
)

import { expect, test } from 'vitest'
import { sayEvents } from './event-text.ts'

const KEY = '2fddd3796af8440221e0903e0203a75f860554dca57fbb4301ba1123ebc30bc6'
const named = (key: string) => (key === KEY ? 'lint' : undefined)

const chat = (content: string, ...tags: readonly (readonly string[])[]) => ({
  conversation: 'auth',
  events: [{ content, tags }],
})

test.each([
  ['step.started', { key: KEY, name: 'lint', attempt: 2, command: 'x', tokens: 0 }, 'started lint (attempt 2)'],
  ['step.failed', { key: KEY, token: 5, reason: 'exit 1', duration_ms: 8, tokens: 0 }, 'failed lint in 8ms: exit 1'],
  ['step.finished', { key: KEY, token: 5, exit: 0, duration_ms: 4000, tokens: 120 }, 'finished lint in 4s, 120 tokens'],
  ['step.released', { key: KEY }, 'released lint'],
  ['step.released', { key: `0${KEY}` }, 'released 02fddd37'],
  ['session.created', { id: '01a2', name: 'auth', goal: null, context: {} }, 'created name=auth id=01a2'],
  ['output.imported', { values: { 'a.x': '1', 'a.y': '2' }, step: null }, 'a.x, a.y'],
  [
    'lock.acquired',
    { resource: 'db', token: 2, expires: 1_795_346_500_000 },
    'acquired resource=db token=2 expires=2026-11-22T11:21:40.000Z',
  ],
  ['consent.asked', { operation: 'x', due: 1_795_346_500_000 }, 'asked operation=x due=2026-11-22T11:21:40.000Z'],
  [
    'session.configured',
    {
      delay_ms: 9,
      preferences: { consent_mode: 'informed', deep: {} },
      gated: ['lock.break', 'b'],
      none: [],
      no: null,
    },
    'configured delay_ms=9 consent_mode=informed gated=lock.break,b',
  ],
  [
    'pool.sampled',
    { agent_type: 'w', at_ms: 1_795_346_500_000 },
    'sampled agent_type=w at_ms=2026-11-22T11:21:40.000Z',
  ],
  ['task.claimed', { id: 't', ttl_ms: 120_000, expires: 120_000 }, 'claimed id=t ttl_ms=120000 expires=120000'],
  ['chat.received', chat('', ['d', 'auth']), 'auth: opened'],
  ['chat.received', chat('', ['e', '5f'], ['phase', 'plan']), 'auth: phase plan'],
  ['chat.received', chat('', ['E', '5f']), 'auth: no text'],
  ['chat.received', chat('', ['d', 'auth'], ['prev', '5f']), 'auth: no text'],
  ['chat.received', chat('', ['d', 'auth'], ['prev', '5f'], ['tool', 'grep', 'c1']), 'auth: tool grep c1'],
  ['chat.received', chat('which hash?', ['E', '5f']), 'auth: which hash?'],
  ['data.set', { path: '$.data.x', value: 1 }, '$.data.x = 1'],
  ['task.archived', { ids: ['task-1', 'task-2'], counted: true }, 'archived 2 tasks'],
])('an event of %s says what it is about first, and a step by its name', (type, data, said) => {
  expect(sayEvents([{ type, data }], named)).toBe(said)
})

test('a move that is intended and done in one commit is said once', () => {
  const moved = { from: 'plan', to: 'write' }
  expect(
    sayEvents([
      { type: 'workflow.transition-intended', data: { ...moved, token: 3 } },
      { type: 'workflow.transitioned', data: moved },
    ]),
  ).toBe('plan → write')
})

test('what an agent wrote does not steer the terminal', () => {
  expect(sayEvents([{ type: 'step.parked', data: { key: KEY, name: 'a\u001b[31m', reason: 'x\ny' } }])).toBe(
    'parked a\\e[31m: x\\ny',
  )
})

test('a breaker is told with the family that it stands for', () => {
  expect(sayEvents([{ type: 'step.breaker-closed', data: { family: 'npm test' } }])).toBe(
    'breaker-closed family=npm test',
  )
})

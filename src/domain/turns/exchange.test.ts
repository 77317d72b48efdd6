import { expect, test } from 'vitest'
import { begin } from '../../../test/turns/place.ts'
import type { OrchestrationState } from './exchange.ts'

/** The clock of these tests begins at midnight, 2026-01-01. */
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

const seat = (state: string) => ({ state, lastStateChange: at(-300), currentChannel: '77', lastActivity: at(-30) })

const document = (more: object = {}, channel: object = {}) => ({
  version: '1.0',
  lastUpdated: at(-10),
  agents: { scout: seat('QUEUED'), smith: seat('ACTIVE'), judge: seat('OFFLINE'), ghost: seat('IDLE') },
  channels: {
    '77': {
      queue: ['scout', 'smith', 'judge'],
      currentIndex: 1,
      activeAgent: 'smith',
      turnStartedAt: at(-120),
      turnTimeoutAt: at(60),
      ...channel,
    },
  },
  history: [{ timestamp: at(-120), event: 'turn_started', agentId: 'smith', channelId: '77', details: {} }],
  ...more,
})

test('X1 what the file says is taken over, and comes out again', async () => {
  const { done, session } = await begin()
  const { value } = await done('turn.import', { document: document() })
  expect(value).toEqual({ channels: ['77'], history: 1, recovered: 0, left_out: ['ghost'] })
  expect(session.get("$.turns.channels['77'].turn")).toMatchObject({ agent: 'smith', deadline: Date.parse(at(60)) })
  const out = (await done('turn.export', {})).value as OrchestrationState
  const { ghost: _, ...agents } = document().agents
  expect(out.agents).toEqual(agents)
  expect(out.channels['77']).toEqual(document().channels['77'])
  expect(out.history.slice(0, 1)).toEqual(document().history)
  const again = await begin()
  await again.done('turn.import', { document: { ...out, channels: { '77': out.channels['77'] } } })
  expect(again.session.get("$.turns.channels['77'].queue")).toEqual(['scout', 'smith', 'judge'])
})

test('X2 a turn that was over before it came in ends with reason recovery; who is there follows, who is offline stays', async () => {
  const { run, session, done } = await begin()
  const over = document({}, { turnTimeoutAt: at(-1) })
  expect(await run('turn.import', { document: over })).toBe('imported ended started')
  expect(session.get("$.turns.channels['77']")).toMatchObject({
    queue: ['scout', 'smith', 'judge'],
    turn: { agent: 'scout' },
    seats: { judge: { state: 'OFFLINE' }, smith: { state: 'QUEUED' } },
  })
  const { value } = await done('turn.history', { channel: '77' })
  expect(value).toMatchObject([
    { event: 'turn_started' },
    { event: 'turn_completed', timestamp: at(-1), details: { reason: 'recovery', durationSeconds: 119 } },
    {},
  ])
})

test('X1 history comes in with the oldest first, whatever its order, and no more than a hundred', async () => {
  const { done } = await begin()
  const history = Array.from({ length: 150 }, (_, i) => ({ timestamp: at(-i), event: 'error', details: { i } }))
  await done('turn.import', { document: document({ history }, { activeAgent: null, turnTimeoutAt: null }) })
  const { value } = await done('turn.history', {})
  expect((value as readonly { readonly details: { readonly i: number } }[]).map(({ details }) => details.i)).toEqual(
    Array.from({ length: 100 }, (_, i) => 99 - i),
  )
})

test('X3 a time without a zone is one of UTC, wherever the file is read', async () => {
  const { TZ: before } = process.env
  process.env['TZ'] = 'Asia/Tokyo'
  try {
    const { done, session } = await begin()
    const there = JSON.parse(JSON.stringify(document()).replaceAll('.000Z"', '"')) as object
    expect((await done('turn.import', { document: there })).value).toMatchObject({ recovered: 0 })
    expect(session.get("$.turns.channels['77'].turn")).toMatchObject({
      deadline: Date.parse(at(60)),
      started_at: at(-120),
    })
    const { history } = (await done('turn.export', {})).value as OrchestrationState
    expect(history.map(({ timestamp }) => Date.parse(timestamp))).toEqual([Date.parse(at(-120))])
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})

test.each([
  ['VERSION_UNKNOWN', document({ version: '2.0' })],
  ['INPUT_INVALID', document({}, { activeAgent: 'nobody' })],
  ['INPUT_INVALID', document({}, { queue: ['smith', 'smith'] })],
  ['INPUT_INVALID', document({}, { queue: ['smith', 'project manager'] })],
  ['INPUT_INVALID', document({ channels: { 'team chat': { queue: [] } } })],
  ['INPUT_INVALID', document({ channels: { ['7'.repeat(129)]: { queue: [] } } })],
  ['INPUT_INVALID', document({}, { turnTimeoutAt: 'soon' })],
  ['INPUT_INVALID', document({ agents: { smith: { state: 'BUSY' } } })],
  ['INPUT_INVALID', document({ channels: undefined })],
  ['INPUT_INVALID', document({ history: undefined })],
  ['INPUT_INVALID', []],
])('X1 %s for what contradicts itself', async (code, bad) => {
  const { run, session } = await begin()
  const { seq } = session
  expect(await run('turn.import', { document: bad }).catch((error: { code: string }) => error.code)).toBe(code)
  expect(session.seq).toBe(seq)
})

test('X1 a file without a version is of the first; an empty one changes nothing; what is there is not overwritten', async () => {
  const { run } = await begin()
  const { version: _, ...unversioned } = document()
  expect(await run('turn.import', { document: { agents: {}, channels: {}, history: [] } })).toBe('')
  expect(await run('turn.import', { document: unversioned })).toBe('imported')
  expect(await run('turn.import', { document: document() })).toBe('NAME_TAKEN')
})

/* B1 to B3: settings of channels, and agents that speak there, a file each. */
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import type { Session } from '../../src/index.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Source } from '../../src/kernel/exchange/importer.ts'
import { json } from './files.ts'

const agent = (id: string, more: object = {}) =>
  json(`garden/agents/${id}.json`, {
    id,
    name: id,
    role: id.toUpperCase(),
    systemPrompt: 'be kind',
    channels: ['room'],
    turnBehavior: { timeoutSeconds: 90, canInterrupt: false, interruptTriggers: [] },
    ...more,
  })
const guard = agent('guard', {
  priority: 1,
  turnBehavior: { timeoutSeconds: 30, canInterrupt: true, interruptTriggers: ['fire'] },
})
const settings = json('garden/channels.json', {
  defaults: { mode: 'turn-based', humanInterruptMode: 'queue' },
  channels: { room: { agents: ['pm', 'guard'], turnOrder: 'priority' }, hall: { mode: 'broadcast', agents: [] } },
})

const workspace = makeWorkspace(memoryKernel())
async function imported(sources: readonly Source[], name: string, session?: Session) {
  const [plan, ...others] = detect(sources).plans
  if (plan === undefined || others.length > 0) throw new Error('they do not go into one session')
  const bytes = plan.sources.map(({ text }) => Buffer.from(text))
  return { plan, ...(await carryOut(workspace, plan, { name, bytes, session })) }
}
const at = (session: Session, path: string) => session.get(`$.turns.channels.${path}`)

describe('agents of channels', () => {
  test('B1 B3 one alone has its seat, and what it is like is kept', async () => {
    const { plan, session, refused } = await imported([guard], 'alone')
    expect([plan.kind, refused]).toEqual(['agent-settings', []])
    expect(at(session, 'room.seats.guard')).toMatchObject({
      role: 'GUARD',
      priority: 1,
      timeout_ms: 30_000,
      can_interrupt: true,
      triggers: ['fire'],
      state: 'IDLE',
    })
    expect(session.get('$.data.agent_settings.guard')).toEqual(guard.value)
  })

  test('B1 with settings they go into one session, and sit in the order of their priority', async () => {
    const { plan, session, refused } = await imported([agent('pm'), settings, guard, agent('dev')], 'together')
    expect([plan.group, plan.sources.length, refused]).toEqual(['channels', 4, []])
    expect(at(session, 'room.queue')).toEqual(['guard', 'pm', 'dev'])
    expect(at(session, 'room.seats.dev')).toMatchObject({ role: 'DEV', timeout_ms: 90_000 })
  })

  test('B1 without settings they go into one session named after their folder', async () => {
    const { plan, session, refused } = await imported([agent('pm'), agent('dev')], 'agents')
    expect([plan.group, refused]).toEqual(['agents', []])
    expect(at(session, 'room.queue')).toEqual(['pm', 'dev'])
  })

  test('B2 one that is not enabled has its place, and is offline', async () => {
    const { session } = await imported([agent('pm', { enabled: false })], 'away')
    expect(at(session, 'room.seats.pm')).toMatchObject({ role: 'PM', state: 'OFFLINE' })
  })

  test('I3 what a rule refuses is told, and the rest goes on', async () => {
    const { session, refused } = await imported([agent('pm', { priority: 70 })], 'wrong')
    expect(refused).toMatchObject([{ op: 'turn.join', code: 'INPUT_INVALID' }])
    expect(session.get('$.data.agent_settings.pm.priority')).toBe(70)
  })

  test('B3 into channels that are there they come without a word of refusal', async () => {
    const { session } = await imported([settings], 'there')
    const { refused } = await imported([guard], '', session)
    expect(refused).toEqual([])
    expect(at(session, 'room.config')).toMatchObject({ order: 'priority', human: 'queue' })
    expect(at(session, 'room.seats.guard')).toMatchObject({ role: 'GUARD', priority: 1 })
  })
})

describe('settings of channels', () => {
  test('what a channel does not say, the defaults say', async () => {
    const { plan, session } = await imported([settings], 'defaults')
    expect(plan.kind).toBe('channel-settings')
    expect(at(session, 'room.config')).toMatchObject({ mode: 'turn-based', human: 'queue' })
    expect(at(session, 'hall.config')).toMatchObject({ mode: 'broadcast', human: 'queue' })
  })

  test('a channel that is there is set as they say', async () => {
    const state = {
      version: '1.0',
      agents: { pm: { state: 'IDLE' } },
      channels: { room: { queue: ['pm'] } },
      history: [],
    }
    const { session } = await imported([json('orchestration-state.json', state)], 'state')
    const { refused } = await imported([settings], '', session)
    expect(refused).toEqual([])
    expect(at(session, 'room.config')).toMatchObject({ order: 'priority', human: 'queue' })
  })
})

/* Conversation files: what is said in them, and what their agents know. */
import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure'
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import { json } from './files.ts'

const key = generateSecretKey()
const root = finalizeEvent(
  { kind: 11, created_at: 1_767_225_600, tags: [['title', 'The gate']], content: 'mend it' },
  key,
)
const answer = finalizeEvent({ kind: 1111, created_at: 1_767_225_660, tags: [['E', root.id]], content: 'done' }, key)

async function imported(more: object) {
  const file = { id: root.id, title: 'The gate', phase: 'chat', history: [root, answer], ...more }
  const [plan] = detect([json('conv.json', file)]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  const bytes = [Buffer.from(JSON.stringify(file))]
  const { session, refused } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'conv', bytes })
  const unread = async (agent: string) => {
    const read = await session.run('chat.build', { conversation: root.id, agent })
    return read.kind === 'accepted' ? (read.value as { readonly unread: number }).unread : read.code
  }
  return { session, refused, unread, rows: plan.rows.map(({ what, count }) => [what, count]) }
}

const planner = { lastProcessedMessageIndex: 2, claudeSessionId: '7b0e-d4' }
const coder = { lastProcessedMessageIndex: 1 }

test.each([
  [
    'pairs',
    [
      ['planner', planner],
      ['coder', coder],
    ],
  ],
  ['members', { planner, coder }],
])('who had seen all of a conversation has, and keeps the session of its own: agents as %s', async (_, agentStates) => {
  const { session, refused, unread, rows } = await imported({ agentStates })
  expect(refused).toEqual([])
  expect(rows).toEqual([
    ['events of the history', 2],
    ['agents', 1],
    ['states of agents', 1],
  ])
  expect([await unread('planner'), await unread('coder')]).toEqual([0, 2])
  expect(await session.query('$..memory')).toContainEqual({ claude_session_id: '7b0e-d4' })
})

test('of a conversation that its events do not name, what its agents know stays in the original', async () => {
  const { refused, rows, unread } = await imported({ id: 'conv_7', agentStates: { planner } })
  expect(refused).toEqual([])
  expect(rows).toContainEqual(['states of agents', 1])
  expect(await unread('planner')).toBe(2)
})

test('moves and turns that no event tells are named', () => {
  const file = (tags: readonly (readonly string[])[]) =>
    detect([
      json('c.json', {
        id: 'c',
        phase: 'plan',
        phaseTransitions: [{ from: 'chat', to: 'plan' }],
        orchestratorTurns: [{ agents: ['pm'] }],
        history: [{ id: 'c', pubkey: 'p', content: '', tags }],
      }),
    ]).plans[0]?.problems
  expect(file([['phase', 'plan']])).toEqual([
    '1 of the phase transitions are told by no event, and are not here',
    '1 of the routing turns are told by no event, and are not here',
  ])
  expect(
    file([
      ['phase', 'plan'],
      ['phase-from', 'chat'],
      ['route', 'pm'],
    ]),
  ).toEqual([])
})

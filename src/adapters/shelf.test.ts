import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../compose.ts'
import { SteadfoldSessionStore } from './claude-agent-sdk/claude-agent-sdk.ts'
import { SteadfoldSaver } from './langgraph/langgraph.ts'
import { SteadfoldConversation } from './openai-agents/openai-agents.ts'

const no = { code: 'INPUT_INVALID', hint: expect.any(String) }
const begin = () => makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })

// Programs without types hand in anything.
type Untyped = new (...given: unknown[]) => Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>
const [Saver, Store, Conversation] = [SteadfoldSaver, SteadfoldSessionStore, SteadfoldConversation] as unknown as [
  Untyped,
  Untyped,
  Untyped,
]

test.each([undefined, null, 'test', {}])('no adapter stands on %j', (session) => {
  const thrown = expect.objectContaining(no)
  expect(() => new Saver(session)).toThrow(thrown)
  expect(() => new Store(session)).toThrow(thrown)
  expect(() => new Conversation(session, { sessionId: 'a' })).toThrow(thrown)
})

test.each([undefined, null, {}, { projectKey: 'p' }, { projectKey: 'p', sessionId: 5 }])(
  'no transcript and no conversation has the name %j',
  async (key) => {
    const session = await begin()
    const store = new Store(session)
    await expect(store['append']?.(key, [{ type: 'user' }])).rejects.toMatchObject(no)
    await expect(store['load']?.(key)).rejects.toMatchObject(no)
    await expect(store['delete']?.(key)).rejects.toMatchObject(no)
    expect(() => new Conversation(session, key)).toThrow(expect.objectContaining(no))
    expect(session.seq).toBe(1)
  },
)

test.each([undefined, null, 5, [null], ['text']])('neither entries nor items are %j', async (list) => {
  const session = await begin()
  await expect(new Store(session)['append']?.({ projectKey: 'p', sessionId: 's' }, list)).rejects.toMatchObject(no)
  await expect(new Conversation(session, { sessionId: 'a' })['addItems']?.(list)).rejects.toMatchObject(no)
  expect(session.seq).toBe(1)
})

const items = [{ role: 'user' }]
test.each([
  undefined,
  {},
  { operationId: 'op' },
  { operationId: 'op', transaction: null },
  { operationId: 'op', transaction: { type: 'append', items } },
  { operationId: 'op', transaction: { type: 'append_items' } },
  { operationId: 'op', transaction: { type: 'replace_suffix', replacement: items } },
  { operationId: 5, transaction: { type: 'append_items', items } },
  { transaction: { type: 'append_items', items } },
])('no history is changed by %j', async (args) => {
  const session = await begin()
  const conversation = new Conversation(session, { sessionId: 'a' })
  await expect(conversation['applyHistoryTransaction']?.(args)).rejects.toMatchObject(no)
  expect(session.seq).toBe(1)
})

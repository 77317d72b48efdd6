import { expect, test } from 'vitest'
import { openChat, publicKey, signed } from '../../../test/conformance/chat.ts'

interface Row {
  readonly status: string
  readonly missing: readonly string[]
  readonly completions: readonly { readonly agent: string; readonly late: boolean; readonly summary: string }[]
}

async function begin() {
  const chat = await openChat()
  await chat.run('open', { title: 'Login', id: 'login', text: 'build it' })
  const route = (agents: readonly string[], more: object = {}) =>
    chat.run('route', { conversation: 'login', agents, ...more })
  const complete = (agent: string, text = 'done') =>
    chat.run('complete', { conversation: 'login', text }, `agent:${agent}`)
  const turns = () => chat.run('turns', { conversation: 'login' }) as Promise<readonly Row[]>
  return { ...chat, route, complete, turns }
}

test('C5 a turn is over when each agent has completed, not when there are as many completions as agents', async () => {
  const { route, complete, turns } = await begin()
  await route(['coder', 'qa'])
  await complete('coder')
  await complete('coder', 'more')
  expect(await turns()).toMatchObject([{ status: 'open', missing: ['agent:qa'], completions: [{}, {}] }])
  await complete('qa')
  expect(await turns()).toMatchObject([{ status: 'completed', missing: [] }])
})

test('C5 a completion belongs to the most recent open turn that holds the agent', async () => {
  const { route, complete, turns } = await begin()
  await route(['coder', 'qa'])
  await route(['coder'])
  await route(['qa'])
  await complete('coder')
  expect((await turns()).map(({ completions }) => completions.length)).toEqual([0, 1, 0])
  await complete('coder')
  expect((await turns()).map(({ completions }) => completions.length)).toEqual([1, 1, 0])
})

test('C5 a turn without agents is refused, and decides nothing when it comes from elsewhere', async () => {
  const { refused, run, turns } = await begin()
  expect(await refused('route', { conversation: 'login', agents: [] })).toBe('INPUT_INVALID')
  await run('member', { conversation: 'login', author: publicKey(1), role: 'agent' })
  await run('ingest', { events: [signed(1, '', { at: 1, tags: [['d', 'login'], ['route']] })] })
  expect(await turns()).toEqual([])
  expect(await run('show', { conversation: 'login' })).toMatchObject({ violations: [{ why: 'a turn needs an agent' }] })
})

test('C5 who was never routed to is recorded as unknown', async () => {
  const { route, complete, run, turns } = await begin()
  await route(['coder'])
  await complete('stranger')
  await complete('coder')
  await complete('coder')
  expect(await turns()).toMatchObject([{ status: 'completed', completions: [{ agent: 'agent:coder' }] }])
  expect(await run('show', { conversation: 'login' })).toMatchObject({
    strays: [
      { agent: 'agent:stranger', why: 'unknown agent' },
      { agent: 'agent:coder', why: 'no open turn' },
    ],
  })
})

/** Policy, what comes in time, what comes late: what the turn comes to. */
const DEADLINES: readonly (readonly [
  policy: string,
  early: readonly string[],
  late: readonly string[],
  status: string,
])[] = [
  ['wait', [], [], 'open'],
  ['wait', ['coder'], [], 'open'],
  ['wait', ['coder'], ['qa'], 'completed'],
  ['accept', [], [], 'timed out'],
  ['accept', ['coder'], [], 'partial'],
  ['accept', ['coder'], ['qa'], 'partial'],
  ['accept', ['coder', 'qa'], [], 'completed'],
  ['fail', [], ['coder', 'qa'], 'timed out'],
  ['fail', ['coder'], ['qa'], 'failed'],
]

test.each(DEADLINES)('C5 %s, in time %j, late %j: %s', async (partial, early, late, status) => {
  const { route, complete, turns, host } = await begin()
  await route(['coder', 'qa'], { timeout_s: 60, partial })
  for (const agent of early) await complete(agent)
  host.advance(60_000)
  expect((await turns())[0]?.status).toBe(early.length === 2 ? 'completed' : 'open')
  host.advance(1000)
  for (const agent of late) await complete(agent)
  const [turn] = await turns()
  expect(turn?.status).toBe(status)
  expect(turn?.completions.filter((each) => each.late)).toHaveLength(partial === 'wait' ? 0 : late.length)
})

test('C5 the narrative says who was routed to, why, and what came of it', async () => {
  const { route, complete, run } = await begin()
  await route(['coder', 'qa'], { why: 'write and test' })
  await complete('coder', 'wrote it')
  expect(await run('narrative', { conversation: 'login' })).toEqual({
    user_request: 'build it',
    workflow_narrative:
      'Turn 1 (chat) went to coder, qa: write and test\n  coder completed: wrote it\n  open; not yet: qa',
    open_turns: [expect.any(String)],
  })
})

test('C5 who has no say routes nobody', async () => {
  const { run, turns } = await begin()
  const routing = signed(1, '', {
    at: 1,
    tags: [
      ['d', 'login'],
      ['route', 'agent:coder'],
    ],
  })
  await run('ingest', { events: [routing] })
  expect(await turns()).toEqual([])
})

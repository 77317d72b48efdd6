import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { AgentRun, RunStatus } from './events.ts'

const hook = (name: string, more: object = {}, id = 's-1') =>
  JSON.stringify({ session_id: id, hook_event_name: name, cwd: '/work/app', ...more })

async function recording() {
  const { session } = await begin()
  const record = async (payload: string, agent = 'claude') =>
    expect(await session.run('activity.record', { agent, payload })).toMatchObject({ kind: 'accepted' })
  const slice = () =>
    session.get('$.activity') as { runs: Record<string, AgentRun>; recent: unknown[]; raw: number; spent?: object }
  return { session, record, slice, run: (key = 'claude:s-1') => slice().runs[key] }
}

const TABLE: Readonly<Record<string, readonly [agent: string, payload: string, status: RunStatus]>> = {
  'a start': ['claude', hook('SessionStart', { source: 'startup' }), 'idle'],
  'a prompt': ['claude', hook('UserPromptSubmit', { prompt: 'go' }), 'working'],
  'a tool that begins': ['codex', hook('PreToolUse', { tool_name: 'shell', tool_input: { command: 'ls' } }), 'working'],
  'a tool that ended': ['codex', hook('PostToolUse', { tool_name: 'shell' }), 'working'],
  'a permission': ['codex', hook('PermissionRequest', { tool_name: 'shell' }), 'waiting'],
  'a notification': ['gemini', hook('Notification', { message: 'may I?' }), 'waiting'],
  'an end of a turn': ['gemini', hook('AfterAgent'), 'idle'],
  'an end of a turn by quota': ['claude', hook('StopFailure', { error: 'rate_limit' }), 'waiting'],
  'an end': ['gemini', hook('SessionEnd', { reason: 'exit' }), 'ended'],
  'a prompt of opencode': ['opencode', hook('chat.message', { prompt: 'go' }), 'working'],
  'a question of opencode': ['opencode', hook('permission.asked', { message: 'bash rm' }), 'waiting'],
  'an idle opencode': ['opencode', hook('session.idle'), 'idle'],
  'an opencode that stands still': ['opencode', hook('session.error', { error: 'no key' }), 'waiting'],
  'an opencode that ended': ['opencode', hook('dispose'), 'ended'],
  'a turn that a person broke off': ['codex', hook('Interrupt', { turn_id: 't-1' }), 'idle'],
  'an older notification': ['codex', JSON.stringify({ type: 'agent-turn-complete', 'thread-id': 's-1' }), 'idle'],
}

test.each(Object.entries(TABLE))('%s makes its run what it tells', async (_name, [agent, payload, status]) => {
  const { record, run, slice } = await recording()
  await record(payload, agent)
  expect(run(`${agent}:s-1`)).toMatchObject({ agent, run: 's-1', cli_session: 's-1', status })
  expect(slice().recent).toHaveLength(1)
})

describe('what a run holds', () => {
  test('counts its prompts, tools and failures, and says which tool is under way', async () => {
    const { record, run } = await recording()
    await record(hook('UserPromptSubmit', { prompt: 'go' }))
    await record(hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'npm test' } }))
    expect(run()).toMatchObject({ tool: 'Bash', prompts: 1, tools: 0 })
    await record(hook('PostToolUse', { tool_name: 'Bash', tool_response: { stdout: '' } }))
    await record(hook('PostToolUseFailure', { tool_name: 'Bash' }))
    expect(run()).toMatchObject({ tool: null, tools: 2, failed: 1 })
  })

  test('Gemini CLI tells of a failed tool by its response', async () => {
    const { record, run } = await recording()
    await record(hook('AfterTool', { tool_name: 'read_file', tool_response: { error: 'gone' } }), 'gemini')
    expect(run('gemini:s-1')).toMatchObject({ tools: 1, failed: 1 })
  })

  test('forgot is set when the context is cut, until it is told where it stands', async () => {
    const { record, run } = await recording()
    await record(hook('PreCompress', { trigger: 'manual' }), 'gemini')
    expect(run('gemini:s-1')).toMatchObject({ forgot: true, compactions: 1 })
    await record(hook('BeforeAgent', { prompt: 'on' }), 'gemini')
    expect(run('gemini:s-1')).toMatchObject({ forgot: false })
  })

  test('Gemini CLI forgets nothing when it looks whether to cut, as it does at each turn', async () => {
    const { record, run } = await recording()
    await record(hook('PreCompress', { trigger: 'auto' }), 'gemini')
    expect(run('gemini:s-1')).toMatchObject({ forgot: false, compactions: 0 })
  })

  test('what a person said is told without what hooks put before it', async () => {
    const { record, slice } = await recording()
    await record(hook('BeforeAgent', { prompt: '<hook_context>Goal: go\nRead: it</hook_context>\n\nfix it' }), 'gemini')
    expect(slice().recent).toMatchObject([{ kind: 'prompted', detail: 'fix it' }])
  })
})

describe('Y1 bounds', () => {
  test('Y1 a hundred runs are kept, ended ones make room first', async () => {
    const { record, slice } = await recording()
    await record(hook('SessionStart', {}, 'first'))
    await record(hook('SessionEnd', {}, 'second'))
    for (let i = 0; i < 99; i++) await record(hook('SessionStart', {}, `r${i}`))
    expect(Object.keys(slice().runs)).toHaveLength(100)
    expect(slice().runs['claude:first']).toBeDefined()
    expect(slice().runs['claude:second']).toBeUndefined()
    expect(slice().recent).toHaveLength(50)
  })

  test('Y1 what a run used that made room stays counted', async () => {
    const { session, record, slice } = await recording()
    for (const [run, tokens] of Object.entries({ a: 100, b: 20, c: 0 })) {
      await session.run('activity.launch', { agent: 'codex', run, cwd: '/w', assigned: true })
      await session.run('activity.meter', { agent: 'codex', run, tokens, cost_usd: tokens / 100, tools: 0 })
    }
    for (let i = 0; i < 98; i++) await record(hook('SessionStart', {}, `r${i}`))
    expect(slice().spent).toEqual({ tokens: 100, cost_usd: 1 })
    for (let i = 0; i < 2; i++) await record(hook('SessionStart', {}, `q${i}`))
    expect(slice().spent).toEqual({ tokens: 120, cost_usd: 1.2 })
  })
})

describe('runs that nobody watches', () => {
  const cli = { host: 'h', boot_id: 'b', pid_namespace: 'n', pid: 1, started: '1' }

  test('Y6 the process that was seen when one began is kept until it begins again, seen or not', async () => {
    const { session, record, run } = await recording()
    const begin = hook('SessionStart')
    await session.run('activity.record', { agent: 'claude', payload: begin, process: cli, who: 'agent:lead' })
    await record(hook('PreToolUse'))
    expect(run()).toMatchObject({ cli_process: cli, who: 'agent:lead' })
    await record(begin)
    expect(run()).not.toHaveProperty('cli_process')
  })
})

describe('runs that are watched', () => {
  const process = { host: 'h', boot_id: 'b', pid_namespace: 'n', pid: 1, started: '1' }

  const launched = { agent: 'claude', run: 's-1', cwd: '/work/app', assigned: true }

  test('Y4 a total told twice counts once', async () => {
    const { session, run } = await recording()
    await session.run('activity.launch', launched)
    const used = { agent: 'claude', run: 's-1', tokens: 10, cost_usd: 0.5, tools: 1 }
    const first = await session.run('activity.meter', used)
    const again = await session.run('activity.meter', used)
    expect([first, again].map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
    expect(again).toMatchObject({ events: [] })
    expect(run()).toMatchObject({ status: 'working', tokens: 10, cost_usd: 0.5, tools: 1 })
  })

  test('Y4 a tool counts once, whoever tells of it first', async () => {
    const { session, record, run } = await recording()
    await session.run('activity.launch', launched)
    await session.run('activity.meter', { agent: 'claude', run: 's-1', tools: 1 })
    for (const _tool of [1, 2]) await record(hook('PostToolUse', { tool_name: 'Bash' }))
    expect(run()).toMatchObject({ tools: 2 })
    await session.run('activity.meter', { agent: 'claude', run: 's-1', tools: 2 })
    expect(run()).toMatchObject({ tools: 2, failed: 0 })
  })

  test('Y5 what its watcher said of its end stands, whatever hooks say later', async () => {
    const { session, record, run } = await recording()
    await session.run('activity.launch', { ...launched, process })
    await session.run('activity.close', { agent: 'claude', run: 's-1', cause: 'quota', reason: 'limit', exit: 1 })
    await record(hook('SessionEnd', { reason: 'other' }))
    expect(run()).toMatchObject({ status: 'ended', cause: 'quota', reason: 'limit' })
  })

  test.each([
    ['claude', 'SessionStart', { source: 'resume' }, 'Notification'],
    ['codex', 'SessionStart', { source: 'resume' }, 'PermissionRequest'],
    ['gemini', 'SessionStart', { source: 'resume' }, 'Notification'],
    ['opencode', 'session.started', {}, 'permission.asked'],
  ] as const)('Y5 %s that is taken up again by hand is told of as it is', async (agent, name, how, asks) => {
    const { session, record, run } = await recording()
    await session.run('activity.launch', { ...launched, agent, process })
    await session.run('activity.close', { agent, run: 's-1', cause: 'crashed' })
    await record(hook(name, how), agent)
    expect(run(`${agent}:s-1`)).toMatchObject({ status: 'idle', cause: null, reason: null, process: null })
    await record(hook(asks, { message: 'May I?' }), agent)
    expect(run(`${agent}:s-1`)).toMatchObject({ status: 'waiting', reason: 'May I?' })
  })

  test('Y5 what was on its way when it ended takes nothing up again', async () => {
    const { session, record, run } = await recording()
    await session.run('activity.launch', { ...launched, process })
    await session.run('activity.close', { agent: 'claude', run: 's-1', cause: 'crashed' })
    for (const source of ['startup', 'compact']) await record(hook('SessionStart', { source }))
    await record(hook('Notification', { message: 'May I?' }))
    expect(run()).toMatchObject({ status: 'ended', cause: 'crashed' })
  })

  test('a run whose CLI has an id of its own is found by both', async () => {
    const { session, record, run, slice } = await recording()
    await session.run('activity.launch', { agent: 'codex', run: 'ours', cwd: '/work/app' })
    await session.run('activity.meter', { agent: 'codex', run: 'ours', cli_session: 'theirs' })
    await record(hook('PreToolUse', { tool_name: 'shell' }, 'theirs'), 'codex')
    expect(Object.keys(slice().runs)).toEqual(['codex:ours'])
    expect(run('codex:ours')).toMatchObject({ tool: 'shell', status: 'working' })
    expect(await session.run('activity.show', { agent: 'codex', run: 'theirs' })).toMatchObject({
      value: { run: 'ours', resume: 'cd /work/app && codex resume theirs' },
    })
  })

  test('a run that was never launched is neither metered nor closed', async () => {
    const { session } = await recording()
    const run = { agent: 'claude', run: 'x' }
    expect(await session.run('activity.meter', run)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await session.run('activity.close', { ...run, cause: 'failed' })).toMatchObject({ code: 'NOT_FOUND' })
  })
})

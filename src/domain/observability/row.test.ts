import { expect, test, vi } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { rowOf } from './row.ts'

async function begin() {
  const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'my one' })
  const run = async (name: string, input: object) => {
    const answer = await session.run(name, input)
    if (answer.kind === 'refused') throw new Error(`${name}: ${answer.message}`)
    return answer
  }
  const row = async () => {
    const { id, seq, updatedAt } = session
    const state = await session.stateAt()
    return rowOf({ id, seq, updated_at: updatedAt, state, damaged: false, lost: undefined }, Date.now())
  }
  return { session, run, row }
}

async function workedThrough(session: Session, steps: readonly string[]) {
  for (const name of steps) {
    const key = name.repeat(64)
    const answer = await session.run('step.start', { key, name, state: 'build', command: 'x' })
    const token = answer.kind === 'accepted' ? answer.seq : 0
    await session.run('step.finish', { key, token, exit: 0, duration_ms: 1, tokens: 5, cost_usd: 0.25 })
  }
}

test('a row counts a step once, whatever it was before it was edited', async () => {
  const begun = await begin()
  await begun.run('workflow.define', { definition: { name: 'w', states: { build: { steps: { a: { run: 'x' } } } } } })
  await workedThrough(begun.session, ['a'])
  const edited = { key: 'b'.repeat(64), name: 'a', state: 'build', command: 'y' }
  const { seq: token } = await begun.run('step.start', edited)
  expect((await begun.row()).steps).toMatchObject({ total: 1, finished: 0, running: 1 })
  await begun.run('step.finish', { key: edited.key, token, exit: 0 })
  expect((await begun.row()).steps).toMatchObject({ total: 1, finished: 1 })
})

test('a row says the wave of the current state, steps, tokens and money', async () => {
  const begun = await begin()
  const steps = { a: { run: 'x' }, b: { run: 'x' }, c: { run: 'x', needs: ['a'] }, d: { run: 'x', needs: ['c'] } }
  const definition = { name: 'w', states: { build: { steps }, done: {} } }
  await begun.run('workflow.define', { definition })
  const wave = async () => (await begun.row()).workflow?.wave
  expect(await wave()).toEqual({ at: 1, of: 3 })
  await workedThrough(begun.session, ['a', 'b'])
  expect(await wave()).toEqual({ at: 2, of: 3 })
  await workedThrough(begun.session, ['c', 'd'])
  expect(await begun.row()).toMatchObject({
    tokens: 20,
    cost_usd: 1,
    steps: { total: 4, finished: 4 },
    workflow: { wave: { at: 3 } },
  })
})

test('a row says the wave of a chain of five thousand steps, the last of which is written first', async () => {
  const begun = await begin()
  const names = Array.from({ length: 5000 }, (_, i) => `s${i}`).toReversed()
  const steps = names.map((name, i) => [name, { run: 'x', needs: names.slice(i + 1, i + 2) }] as const)
  await begun.run('workflow.define', {
    definition: { name: 'w', states: { build: { steps: Object.fromEntries(steps) } } },
  })
  expect((await begun.row()).workflow?.wave).toEqual({ at: 1, of: 5000 })
})

test('a row counts as running only what somebody runs, also where the ledger waits to be told how it ended', async () => {
  const begun = await begin()
  const steps = { a: { run: 'x' }, b: { run: 'x' } }
  await begun.run('workflow.define', { definition: { name: 'w', states: { build: { steps } } } })
  const { seq: driver } = await begun.run('session.acquire', { ttl_ms: 60_000 })
  const { seq: joined } = await begun.run('runner.join', {
    ttl_ms: 60_000,
    process: { host: 'h', boot_id: 'b', pid_namespace: 'n', pid: 1, started: '1' },
  })
  const start = (name: string, lease: number) =>
    begun.run('step.start', { key: name.repeat(64), name, state: 'build', command: 'x', lease })
  await start('a', driver)
  await start('b', joined)
  expect((await begun.row()).steps).toMatchObject({ total: 2, running: 2 })
  await begun.run('session.recover', { token: driver, cause: 'crashed' })
  expect((await begun.row()).steps).toMatchObject({ total: 2, running: 1 })
  await begun.run('runner.leave', { token: joined })
  expect((await begun.row()).steps).toMatchObject({ total: 2, running: 0 })
})

test('a row counts a task whose claim is over as ready, told by an operation or not', async () => {
  const { session, run } = await begin()
  await run('task.add', { title: 'one' })
  await run('task.claim', { any: true, ttl_ms: 1000 })
  const { id, seq, updatedAt } = session
  const seen = { id, seq, updated_at: updatedAt, state: await session.stateAt(), damaged: false, lost: undefined }
  expect(rowOf(seen, Date.now()).tasks).toEqual({ ready: 0, claimed: 1 })
  expect(rowOf(seen, Date.now() + 2000).tasks).toEqual({ ready: 1, claimed: 0 })
})

test('a row counts agent CLIs that are at work, and what all of them used', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { run, row } = await begin()
    const tell = (session_id: string, hook_event_name: string) =>
      run('activity.record', { agent: 'claude', payload: JSON.stringify({ session_id, hook_event_name, cwd: '/w' }) })
    await tell('one', 'UserPromptSubmit')
    await tell('two', 'SessionStart')
    expect(await row()).toMatchObject({ agents: 1, tokens: 0 })
    await tell('two', 'PreToolUse')
    expect((await row()).agents).toBe(2)
    await run('activity.launch', { agent: 'codex', run: 'three', cwd: '/w', assigned: true })
    await run('activity.meter', { agent: 'codex', run: 'three', tokens: 1200, cost_usd: 0.5, tools: 1 })
    await tell('two', 'Stop')
    expect(await row()).toMatchObject({ agents: 2, tokens: 1200, cost_usd: 0.5 })
    // Nobody says that a terminal was closed.
    vi.setSystemTime(Date.now() + 3_660_000)
    expect((await row()).agents).toBe(0)
    await run('activity.close', { agent: 'codex', run: 'three', cause: 'finished', exit: 0 })
    expect(await row()).toMatchObject({ agents: 0, cost_usd: 0.5 })
  } finally {
    vi.useRealTimers()
  }
})

test('a row counts an agent once that is registered and has a run under its name', async () => {
  const { run, row } = await begin()
  const of = { agent: 'codex', run: 'r-1', cwd: '/w', assigned: true }
  await run('activity.launch', of)
  await run('agent.register', { agent: 'lead', type: 'lead' })
  expect((await row()).agents).toBe(2)
  await run('activity.launch', { ...of, who: 'agent:lead' })
  expect((await row()).agents).toBe(1)
})

import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

const by = (name: string) => ({ actor: `agent:${name}` })

test('R1 a restore takes back nothing of what was said, who has the turn, and what agents and their programs used', async () => {
  const { session } = await begin()
  await session.run('channel.create', { channel: 'room' })
  for (const agent of ['a', 'b']) await session.run('turn.join', { channel: 'room', agent })
  const turn = await session.run('turn.start', { channel: 'room' })
  await session.run('chat.open', { title: 'Log in', id: 'login' }, { actor: 'human:ana' })
  const run = { agent: 'claude', run: 'r1' }
  await session.run('activity.launch', { ...run, cwd: '/work' })
  await session.run('lock.acquire', { resource: 'db' }, by('a'))
  await session.run('message.send', { to: ['a'], payload: 'hello' }, by('b'))
  const { seq } = session
  await session.run('turn.say', { channel: 'room', text: 'done TURN_COMPLETE', tokens: 70, cost_usd: 0.5 }, by('a'))
  await session.run('chat.post', { conversation: 'login', text: 'which hash?' }, { actor: 'human:ana' })
  await session.run('chat.seen', { conversation: 'login', agent: 'b' })
  await session.run('activity.meter', { ...run, tokens: 500, cost_usd: 2 })
  await session.run('lock.release', { resource: 'db' }, by('a'))
  await session.run('message.receive', {}, by('a'))
  await session.run('state.set', { path: '$.data.plan', value: 'wrong' })
  const kept = () =>
    ['communication', 'turns', 'conversation', 'activity'].map((name) => JSON.stringify(session.stored[name]))
  const before = kept()
  expect(await session.run('session.restore', { to: String(seq) })).toMatchObject({ kind: 'accepted' })
  expect(session.get('$.data.plan')).toBeUndefined()
  expect(kept()).toEqual(before)
  // T2 of turns: the turn has ended, and its token is worth nothing.
  const { token } = turn.kind === 'accepted' ? (turn.value as { readonly token: number }) : { token: 0 }
  expect(await session.run('turn.end', { channel: 'room', token }, by('a'))).toMatchObject({ code: 'LEASE_LOST' })
})

test('R4 a claim that was given back since is not given again, and one that was prolonged since has its time', async () => {
  const { host, session } = await begin()
  for (const id of ['task-1', 'task-2']) await session.run('task.add', { id, title: id })
  const claim = { task: 'task-1', ttl_ms: 60_000 }
  const first = await session.run('task.claim', claim, by('a'))
  await session.run('task.claim', { ...claim, task: 'task-2' }, by('b'))
  const { seq } = session
  await session.run('task.release', { task: 'task-1' }, by('a'))
  await session.run('task.claim', claim, by('c'))
  host.advance(50_000)
  await session.run('task.renew', { ...claim, task: 'task-2' }, by('b'))
  await session.run('session.restore', { to: String(seq) })
  host.advance(50_000)
  const { token } = first.kind === 'accepted' ? (first.value as { readonly token: number }) : { token: 0 }
  expect(await session.run('task.done', { task: 'task-1', token }, by('a'))).toMatchObject({ code: 'LEASE_LOST' })
  expect(await session.run('task.claim', { any: true }, by('d'))).toMatchObject({ value: { id: 'task-1' } })
  expect(await session.run('task.done', { task: 'task-2' }, by('b'))).toMatchObject({ kind: 'accepted' })
})

test('R1 what workers were asked for and brought back stays: a report is paid for, and who is at work hands in its own', async () => {
  const { session } = await begin()
  const workers = ['tokens', 'cookies', 'keys'].map((id) => ({ id }))
  const { seq: planned } = await session.run('supervise.start', { kind: 'research', workers }).then(() => session)
  await session.run('supervise.begin', { worker: 'tokens' })
  await session.run('supervise.report', { worker: 'tokens', text: '# Tokens\n\nThey are short.\n' })
  await session.run('supervise.fail', { worker: 'cookies', reason: 'timeout' })
  const begun = await session.run('supervise.begin', { worker: 'keys' })
  await session.run('state.set', { path: '$.data.plan', value: 'wrong' })
  const before = JSON.stringify(session.stored['supervision'])
  await session.run('session.restore', { to: String(planned) })
  expect(session.get('$.data.plan')).toBeUndefined()
  expect(JSON.stringify(session.stored['supervision'])).toBe(before)
  const { token } = begun.kind === 'accepted' ? (begun.value as { readonly token: number }) : { token: 0 }
  const report = { worker: 'keys', token, text: '# Keys\n\nThey last.\n' }
  expect(await session.run('supervise.report', report)).toMatchObject({ value: { status: 'partial_success' } })
})

test('R1 what a step has handed back stays with its result, which nobody pays for again; what others have set goes back', async () => {
  const { session } = await begin()
  const [done, busy] = ['a', 'b'].map((letter) => letter.repeat(64))
  const start = async (key: unknown, name: string) => {
    await session.run('step.start', { key, name, state: 'research', command: 'x' })
    return session.seq
  }
  await session.run('output.set', { name: 'by.hand', value: 'old' })
  const { seq } = session
  const token = await start(done, 'find')
  await session.run('output.import', { values: { found: '3' }, prefix: 'find.', step: { key: done, token } })
  await session.run('step.finish', { key: done, token, exit: 0, outputs: { found: '3' } })
  const later = await start(busy, 'count')
  await session.run('output.import', { values: { lines: '9' }, prefix: 'count.', step: { key: busy, token: later } })
  for (const name of ['by.hand', 'find.note']) await session.run('output.set', { name, value: 'new' })
  await session.run('session.restore', { to: String(seq) })
  expect(session.get('$.outputs')).toEqual({ 'by.hand': 'old', 'find.found': '3', 'count.lines': '9' })
})

test('R5 a task that was set away gives its name to no other: a handoff that waits is of no other task', async () => {
  const { session } = await begin()
  const { seq: before } = session
  await session.run('task.add', { title: 'pay the invoice' })
  const { seq } = session
  await session.run('task.add', { title: 'send the letter' }, by('a'))
  await session.run('task.claim', { task: 'task-2' }, by('a'))
  const handoff = await session.run('handoff.create', { to: 'b', task_id: 'task-2' }, by('a'))
  expect(handoff).toMatchObject({ kind: 'accepted' })
  await session.run('session.restore', { to: String(seq) })
  expect(await session.run('task.add', { title: 'drop the table' })).toMatchObject({ value: { id: 'task-3' } })
  const { id } = handoff.kind === 'accepted' ? (handoff.value as { readonly id: string }) : { id: '' }
  await session.run('handoff.accept', { id }, by('b'))
  expect(session.get("$.execution.tasks['task-3'].claim")).toBeNull()
  await session.run('session.restore', { to: String(before) })
  expect(session.get('$.execution.tasks')).toEqual({})
  expect(await session.run('task.add', { title: 'begin anew' })).toMatchObject({ value: { id: 'task-4' } })
  expect(await session.run('task.claim', { any: true }, by('b'))).toMatchObject({ value: { id: 'task-4' } })
})

test('R6 what is nested too deep for a commit, or too much for one, is refused, and where a copy goes on is told', async () => {
  const { session } = await begin()
  const set = (path: string, value: unknown) => session.run('state.set', { path, value })
  // A value may be as deep as its own commit lets it; that of a restore has it some levels deeper.
  await set('$.data.deep', JSON.parse('['.repeat(127) + ']'.repeat(127)))
  const deep = session.seq
  await session.run('state.delete', { path: '$.data.deep' })
  for (const name of ['one', 'two']) await set(`$.data.${name}`, 'x'.repeat(9_000_000))
  const large = session.seq
  for (const name of ['one', 'two']) await session.run('state.delete', { path: `$.data.${name}` })
  for (const [to, code] of [
    [deep, 'VALUE_TOO_DEEP'],
    [large, 'VALUE_TOO_LARGE'],
  ] as const) {
    const { seq } = session
    const refused = await session.run('session.restore', { to: String(to) })
    expect(refused).toMatchObject({ kind: 'refused', code })
    expect(refused).toMatchObject({ hint: `steadfold session fork ${session.id} NAME --at ${to}, and go on there` })
    expect(session.seq).toBe(seq)
  }
})

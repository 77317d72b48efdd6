import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from './compose.ts'
import { past } from './past.ts'

async function begin() {
  const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  const session = await workspace.createSession({ name: 'test' })
  await session.state.set({ path: 'data.topic', value: 'auth' }, { actor: 'agent:planner' })
  await session.state.set({ path: 'data.n', value: 1 })
  await session.state.set({ path: 'data.topic', value: 'login' }, { actor: 'agent:coder' })
  return { workspace, session }
}

test('what changed between two points is told with who did it, as the command line tells it', async () => {
  const { workspace, session } = await begin()
  expect(await past.diff(workspace, session, { from: '@-2', path: '$.data' })).toEqual({
    from: 2,
    to: 4,
    commits: 2,
    actors: { 'human:local': 1, 'agent:coder': 1 },
    changes: [
      { kind: 'added', path: '$.data.n', after: 1, by: expect.objectContaining({ seq: 3 }) },
      {
        kind: 'changed',
        path: '$.data.topic',
        before: 'auth',
        after: 'login',
        by: expect.objectContaining({ seq: 4, actor: 'agent:coder', op: 'state.set' }),
      },
    ],
  })
  expect(await past.diff(workspace, session, { from: 3, to: 3 })).toMatchObject({ changes: [] })
})

test('a value that came, went or is null is told as such where it alone is asked for', async () => {
  const { workspace, session } = await begin()
  await session.state.set({ path: 'data.empty', value: {} })
  await session.state.set({ path: 'data.n', value: null })
  await session.state.delete({ path: 'data.n' })
  const changed = async (path: string, from: number, to: number) => {
    const { changes } = await past.diff(workspace, session, { from, to, path })
    return changes.map(({ by, ...change }) => ({ ...change, seq: by?.seq }))
  }
  expect(await changed('data.n', 2, 3)).toEqual([{ kind: 'added', path: '$.data.n', after: 1, seq: 3 }])
  expect(await changed('data.n', 4, 6)).toEqual([{ kind: 'changed', path: '$.data.n', before: 1, after: null, seq: 6 }])
  expect(await changed('data.n', 6, 7)).toEqual([{ kind: 'removed', path: '$.data.n', before: null, seq: 7 }])
  expect(await changed('data.empty', 4, 5)).toEqual([{ kind: 'added', path: '$.data.empty', after: {}, seq: 5 }])
  expect(await changed('data.nowhere', 1, 7)).toEqual([])
})

test('who gave a path its value, now or then; nobody, where nothing ever was', async () => {
  const { workspace, session } = await begin()
  const blamed = await past.blame(workspace, session, 'data.topic')
  expect(blamed).toMatchObject({ path: '$.data.topic', value: 'login', exists: true, by: { actor: 'agent:coder' } })
  const then = await past.blame(workspace, session, 'data.topic', { at: 3 })
  expect(then).toMatchObject({ value: 'auth', by: { seq: 2, actor: 'agent:planner' } })
  expect(await past.blame(workspace, session, 'data.topics')).toBeUndefined()
})

const given = past as unknown as Readonly<Record<'diff' | 'blame', (...given: unknown[]) => Promise<unknown>>>
const no = { code: 'INPUT_INVALID', hint: expect.any(String) }

test.each([undefined, null, 5, 'test', {}])('%j is no workspace, no session, no path and no options', async (none) => {
  const { workspace, session } = await begin()
  await expect(given.diff(none, session, { from: 1 })).rejects.toMatchObject(no)
  await expect(given.diff(workspace, none, { from: 1 })).rejects.toMatchObject(no)
  await expect(given.diff(workspace, session, none)).rejects.toMatchObject(no)
  await expect(given.diff(workspace, session, { from: 1, path: 5 })).rejects.toMatchObject(no)
  await expect(given.blame(none, session, '$')).rejects.toMatchObject(no)
  await expect(given.blame(workspace, none, '$')).rejects.toMatchObject(no)
  if (none !== 'test') await expect(given.blame(workspace, session, none)).rejects.toMatchObject(no)
})

test('a point that is not there is told of', async () => {
  const { workspace, session } = await begin()
  await expect(past.diff(workspace, session, { from: 1, to: 99 })).rejects.toMatchObject({ code: 'POINT_NOT_FOUND' })
  await expect(past.blame(workspace, session, 'data', { at: 'nope' })).rejects.toMatchObject({
    code: 'POINT_NOT_FOUND',
  })
})

/** A session, the same one open in another place that has not looked since, and who writes to it. */
async function beside() {
  const kernel = memoryKernel({ checkpoints: false })
  const [here, there] = [makeWorkspace(kernel), makeWorkspace(kernel)]
  const session = await here.createSession({ name: 'test' })
  const stale = await there.session('test')
  await session.state.set({ path: 'data.n', value: 1 })
  await session.session.mark({ name: 'draft' })
  return { workspace: there, session, stale }
}

test('a commit that is handed out is a point: what lies beyond what is folded is looked for before it is denied', async () => {
  const { workspace, session, stale } = await beside()
  for await (const { seq } of stale.commits({ after: 1, until: 2 })) {
    expect(stale.seq).toBe(1)
    expect(await stale.get('$.data', { at: seq })).toEqual({ n: 1 })
  }
  await session.state.set({ path: 'data.n', value: 2 })
  expect(await past.diff(workspace, stale, { from: 1, to: 4, path: '$.data' })).toMatchObject({ from: 1, to: 4 })
  await session.state.set({ path: 'data.n', value: 3 })
  expect(await past.blame(workspace, stale, 'data.n', { at: 5 })).toMatchObject({ value: 3, by: { seq: 5 } })
  await session.state.set({ path: 'data.n', value: 4 })
  expect((await workspace.fork(stale, 'other', 6)).get('$.data.n')).toBe(4)
  await session.state.set({ path: 'data.n', value: 5 })
  expect(await stale.query('$.data.n', { at: 7 })).toEqual([5])
  await session.state.set({ path: 'data.n', value: 6 })
  expect(await stale.run('state.get', { path: 'data.n' }, { at: 8 })).toMatchObject({ seq: 8, value: 6 })
  await expect(stale.resolve(9)).rejects.toMatchObject({ code: 'POINT_NOT_FOUND' })
})

test('so are a mark, a time and a distance; what is folded is not looked for', async () => {
  for (const point of ['draft', '0s', '9999-01-01', '@-1']) {
    const { stale, session } = await beside()
    expect([point, await stale.resolve(point)]).toEqual([point, point === '@-1' ? 0 : point === 'draft' ? 2 : 3])
    await session.state.set({ path: 'data.n', value: 2 })
    const { seq } = stale
    for (const known of ['@', '1', '2020-01-01']) await stale.resolve(known).catch(() => undefined)
    expect([point, stale.seq]).toEqual([point, seq])
  }
})

test('without a point what became of a session is asked of the log as it stands, and a fork is made there', async () => {
  const { workspace, session, stale } = await beside()
  expect((await workspace.fork(stale, 'other')).get('$.data.n')).toBe(1)
  await session.state.set({ path: 'data.n', value: 2 })
  expect(await past.diff(workspace, stale, { from: 3 })).toMatchObject({ to: 4, changes: [{ after: 2 }] })
  await session.state.set({ path: 'data.n', value: 3 })
  expect(await past.blame(workspace, stale, 'data.n')).toMatchObject({ value: 3 })
  expect((await workspace.fork(stale, 'third', '@')).get('$.data.n')).toBe(3)
})

test('the values of a path tell null from what was deleted, and who gave them, as the command line tells it', async () => {
  const { session } = await begin()
  await session.state.set({ path: 'data.n', value: null }, { actor: 'agent:coder', reason: 'unknown' })
  await session.state.delete({ path: 'data.n' })
  const answer = await session.state.history({ path: 'data.n' })
  const rows = answer.kind === 'accepted' ? answer.value : []
  const told = rows?.map(({ seq, value, exists, actor, reason }) => ({ seq, value, exists, actor, reason }))
  expect(told).toEqual([
    { seq: 3, value: 1, exists: true, actor: 'human:local', reason: null },
    { seq: 5, value: null, exists: true, actor: 'agent:coder', reason: 'unknown' },
    { seq: 6, value: null, exists: false, actor: 'human:local', reason: null },
  ])
})

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

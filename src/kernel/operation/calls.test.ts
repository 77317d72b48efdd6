import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'

test('a typed call is the operation of its name', async () => {
  const session = await makeWorkspace(memoryKernel()).createSession({ name: 'test' })
  expect(await session.state.set({ path: '$.data.topic', value: 'auth' }, { key: 'k' })).toMatchObject({
    kind: 'accepted',
    seq: 2,
  })
  expect(await session.state.set({ path: '$.data.topic', value: 'other' }, { key: 'k' })).toMatchObject({
    seq: 2,
    repeated: true,
  })
  expect(await session.workflow.resumeCheck({})).toMatchObject({ kind: expect.any(String) })
  // @ts-expect-error a path is text
  expect(await session.state.set({ path: 7, value: 1 })).toMatchObject({ code: 'INPUT_INVALID' })
})

test('an open session can be awaited: its calls are no promises', async () => {
  const session = await makeWorkspace(memoryKernel()).createSession({ name: 'test' })
  expect(Reflect.get(session.state, 'then')).toBeUndefined()
})

test('a session can be printed and written as JSON by those who do not know what it is', async () => {
  const session = await makeWorkspace(memoryKernel()).createSession({ name: 'test' })
  expect(JSON.parse(JSON.stringify({ session }))).toMatchObject({ session: { id: session.id, state: {} } })
  // eslint-disable-next-line typescript/no-base-to-string, typescript/restrict-template-expressions -- a logger does that
  expect(`${session.task}`).toBe('[object Object]')
})

import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/conformance/kit.ts'
import { openWorkspace } from './compose.ts'

test.each([{ readOnly: 'it is shown' }, { readOnly: 'it is shown', create: true }, { create: false }])(
  'a workspace that may not be made, or only be read, is not made where there is none: %j',
  async (options) => {
    const dir = temporaryFolder()
    await expect(openWorkspace({ dir, ...options })).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' })
    expect(readdirSync(dir)).toEqual([])
  },
)

test('one that is there opens to be read', async () => {
  const dir = temporaryFolder()
  await using made = await openWorkspace({ dir })
  await made.createSession({ name: 's' })
  await using read = await openWorkspace({ dir, readOnly: 'it is shown' })
  const answer = (await read.session('s')).state.set({ path: 'data.n', value: 1 })
  await expect(answer).rejects.toMatchObject({ hint: 'it is shown' })
})

test('no folder is named by an empty text, and none is made', async () => {
  const before = readdirSync('.')
  await expect(openWorkspace({ dir: '' })).rejects.toMatchObject({ code: 'INPUT_INVALID', hint: expect.any(String) })
  expect(readdirSync('.')).toEqual(before)
})

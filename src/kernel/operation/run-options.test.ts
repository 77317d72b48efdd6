import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { RunOptions } from './answer.ts'

const begin = () => makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })

test.each<unknown>([
  { actor: 5 },
  { actor: 'bob' },
  { actor: '' },
  { actor: null },
  { actor: 'human:' },
  { actor: 'system:evil one' },
  { key: { a: 1 } },
  { key: '' },
  { key: '\ud800' },
  { reason: 7 },
  { reason: '\udc00' },
  { cause: {} },
  { ifSeq: 1.5 },
  { ifSeq: -1 },
  { ifSeq: '1' },
  { dryRun: 'no' },
  { durability: 'soon' },
  { ifseq: 1 },
  { at: 1 },
  [],
  null,
  7,
])('what cannot stand in a commit is refused: %j', async (options) => {
  const session = await begin()
  const answer = await session.run('state.set', { path: '$.data.a', value: 1 }, options as RunOptions)
  expect(answer).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  expect(session.seq).toBe(1)
})

test('what is left out may be undefined, and what a commit can hold stands in it', async () => {
  const session = await begin()
  const nothing = { key: undefined, actor: undefined, ifSeq: undefined, cause: undefined, reason: undefined }
  expect(await session.run('state.set', { path: '$.data.a', value: 1 }, nothing)).toMatchObject({ seq: 2 })
  const said = { key: 'k', actor: 'agent:a', ifSeq: 2, cause: session.id, reason: 'why' } as const
  expect(await session.run('state.set', { path: '$.data.a', value: 2 }, said)).toMatchObject({ seq: 3 })
  for await (const commit of session.commits({ after: 2 }))
    expect(commit).toMatchObject({ key: 'k', actor: 'agent:a', cause: session.id, reason: 'why' })
})

test('who cannot be an actor creates no session, and nothing is left of it', async () => {
  const kernel = memoryKernel({ checkpoints: false })
  const workspace = makeWorkspace(kernel)
  const create = (more: object) => workspace.createSession({ name: 'test', ...more })
  await expect(create({ actor: 'bob' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(create({ goal: 1 })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  for (const name of ['a/b', '.', '..', 'a\tb', 'a\u007f', 'a\u0085'])
    await expect(create({ name })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  const ids: string[] = []
  for await (const id of kernel.log.list()) ids.push(id)
  expect(ids).toEqual([])
})

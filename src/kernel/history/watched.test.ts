import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import { commitsOf } from '../log/commits.ts'
import { formatPath, getAt, type Keys } from '../path/path.ts'
import { replaying } from '../state/edit.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import { blame, valueHistory } from './blame.ts'

const key = fc.constantFrom('a', 'b', 'c', '0')
const place = fc.array(key, { minLength: 1, maxLength: 3 })
const value = fc.oneof(
  fc.constantFrom<unknown>(1, 2, null, {}, [], { a: 1 }, { a: { b: 2 } }, [1, { a: 1 }]),
  fc.jsonValue({ maxDepth: 2 }),
)
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('set'), at: place, value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), at: place, value }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('add', 'claim', 'send', 'receive', 'restore'), at: place, value }),
  },
)

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

async function perform(
  run: (op: string, input: object, options?: object) => Promise<unknown>,
  { kind, at, value: given }: Act,
) {
  const path = formatPath(['data', ...at])
  const agent = `agent:${at.join('')}`
  if (kind === 'set') await run('state.set', { path, value: given })
  else if (kind === 'delete') await run('state.delete', { path })
  else if (kind === 'add') await run('task.add', { title: at.join() })
  else if (kind === 'claim') await run('task.claim', {}, { actor: agent })
  else if (kind === 'send') await run('message.send', { payload: given, to: at })
  else if (kind === 'receive') await run('message.receive', {}, { actor: agent })
  else await run('session.restore', { to: '1' })
}

/** Looks at the whole value after every commit. */
async function byLooking(kernel: Kernel, session: string, path: Keys) {
  const tree: Tree = {}
  const found: [number, string | undefined][] = []
  let last: string | undefined
  for await (const commit of commitsOf(kernel, session, {})) {
    fold(kernel.folder, tree, structuredClone(commit), replaying)
    const text = JSON.stringify(getAt(tree, path))
    if (text !== last) found.push([commit.seq, text])
    last = text
  }
  return found
}

const PATHS: readonly Keys[] = [
  [],
  ['data'],
  ['data', 'a'],
  ['data', 'a', 'b'],
  ['execution', 'tasks'],
  ['execution', 'tasks', 'items', 'task-1', 'status'],
  ['communication'],
]

test('W2 the values of a path, and who gave the last one, are those found by looking after every commit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const kernel = memoryKernel({ checkpoints: false })
      const session = await makeWorkspace(kernel).createSession({ name: 'test' })
      for (const each of acts) await perform((op, input, options) => session.run(op, input, options), each)
      for (const keys of PATHS) {
        const expected = await byLooking(kernel, session.id, keys)
        const found: [number, string | undefined][] = []
        for await (const change of valueHistory(kernel, session.id, formatPath(keys), session.seq))
          found.push([change.commit.seq, JSON.stringify(change.value)])
        expect(found).toEqual(expected)
        const last = await blame(kernel, session.id, formatPath(keys), session.seq)
        expect([last?.commit.seq, JSON.stringify(last?.value)]).toEqual(expected.at(-1) ?? [undefined, undefined])
      }
    }),
    { numRuns: 150 },
  )
})

test('W1 who changed a list last costs what was written into it: 3,000 items added one by one', async () => {
  const kernel = memoryKernel({ checkpoints: false })
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  await session.run('state.set', { path: '$.data.list', value: [] })
  for (let i = 0; i < 3000; i++)
    await session.run('state.patch', { patch: [{ op: 'add', path: '/data/list/-', value: i }] })
  const { stringify } = JSON
  let characters = 0
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args)
    characters += text?.length ?? 0
    return text
  }) as typeof stringify
  try {
    expect((await blame(kernel, session.id, '$.data.list', session.seq))?.commit.seq).toBe(session.seq)
  } finally {
    JSON.stringify = stringify
  }
  expect(characters).toBeLessThan(200_000)
})

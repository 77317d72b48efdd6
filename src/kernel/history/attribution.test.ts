import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import { commitsOf } from '../log/commits.ts'
import { formatPath, getAt, type Keys } from '../path/path.ts'
import { replaying } from '../state/edit.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import { attribute } from './attribution.ts'
import { difference } from './difference.ts'

const key = fc.constantFrom('a', 'b', 'c', '0')
const place = fc.array(key, { minLength: 1, maxLength: 3 })
const value = fc.oneof(
  fc.constantFrom<unknown>(1, 2, null, {}, [], { a: 1 }, { a: { b: 2 } }, [1, { a: 1 }]),
  fc.jsonValue({ maxDepth: 2 }),
)
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('set'), at: place, value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), at: place, value }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('add', 'claim'), at: place, value }) },
)

/** Looks at every path after every commit. */
async function byLooking(kernel: Kernel, session: string, from: number, paths: readonly Keys[]) {
  const tree: Tree = {}
  const last: (number | undefined)[] = paths.map(() => undefined)
  const texts: (string | undefined)[] = []
  for await (const commit of commitsOf(kernel, session, {})) {
    fold(kernel.folder, tree, structuredClone(commit), replaying)
    for (const [i, path] of paths.entries()) {
      const text = JSON.stringify(getAt(tree, path))
      if (commit.seq > from && text !== texts[i]) last[i] = commit.seq
      texts[i] = text
    }
  }
  return last
}

test('who changed a path last is who is found by looking at every path after every commit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 25 }),
      fc.array(place, { maxLength: 6 }),
      fc.nat(8),
      async (acts, asked, from) => {
        const kernel = memoryKernel({ checkpoints: false })
        const session = await makeWorkspace(kernel).createSession({ name: 'test' })
        for (const { kind, at, value: given } of acts) {
          const path = formatPath(['data', ...at])
          if (kind === 'set') await session.run('state.set', { path, value: given })
          else if (kind === 'delete') await session.run('state.delete', { path })
          else if (kind === 'add') await session.run('task.add', { title: at.join() })
          else await session.run('task.claim', {}, { actor: `agent:${at.join('')}` })
        }
        const paths: Keys[] = [
          ...asked.map((keys) => ['data', ...keys]),
          ['data'],
          ['execution', 'tasks'],
          ['execution', 'tasks', 'items', 'task-1', 'status'],
          [],
        ]
        const tree = from > 0 && from <= session.seq ? { ...(await session.stateAt(from)) } : {}
        const { last } = await attribute(kernel, session.id, { from, to: session.seq, paths, tree })
        const expected = await byLooking(kernel, session.id, from, paths)
        expect(last.map((commit) => commit?.seq)).toEqual(expected)
      },
    ),
    { numRuns: 300 },
  )
})

test('it costs what changed, not what is asked about: 5,000 paths over 5,000 commits', async () => {
  const kernel = memoryKernel({ checkpoints: false })
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const paths = Array.from({ length: 5000 }, (_, i): Keys => ['data', `k${i}`])
  await Promise.all(paths.map((path, i) => session.run('state.set', { path: formatPath(path), value: i })))
  const { stringify } = JSON
  let texts = 0
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    texts++
    return stringify(...args)
  }) as typeof stringify
  try {
    const { last } = await attribute(kernel, session.id, {
      from: 1,
      to: session.seq,
      paths,
      tree: { ...(await session.stateAt(1)) },
    })
    expect(last.map((commit) => commit?.seq)).toEqual(paths.map((_, i) => i + 2))
  } finally {
    JSON.stringify = stringify
  }
  expect(texts).toBeLessThan(200_000)
})

test('it costs what lies between the points, not what lies before: one commit behind 5,000', async () => {
  const kernel = memoryKernel({ checkpoints: false })
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const value = { a: { b: {} } }
  await Promise.all(
    Array.from({ length: 5000 }, (_, i) => session.run('state.set', { path: '$.data.it', value: { ...value, i } })),
  )
  const { set } = WeakMap.prototype
  let remembered = 0
  WeakMap.prototype.set = function (this: WeakMap<WeakKey, unknown>, key: WeakKey, place: unknown) {
    remembered++
    return set.call(this, key, place)
  }
  try {
    const { changes } = await difference(kernel, session, { from: session.seq - 1, to: session.seq })
    expect(changes.map(({ by }) => by?.seq)).toEqual([session.seq])
  } finally {
    WeakMap.prototype.set = set
  }
  expect(remembered).toBeLessThan(1000)
})

test('a long log is read once where the points lie near its end', async () => {
  const kernel = filesKernel(temporaryFolder())
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const [text, count] = ['x'.repeat(100_000), 40]
  for (let i = 0; i < count; i++) await session.run('state.set', { path: '$.data.it', value: { text, i } })
  const { log } = kernel
  const read = log.read.bind(log)
  let bytes = 0
  log.read = async function* (...asked) {
    for await (const chunk of read(...asked)) {
      bytes += chunk.bytes.length
      yield chunk
    }
  }
  const { changes } = await difference(kernel, session, { from: session.seq - 1, to: session.seq })
  expect(changes.map(({ by }) => by?.seq)).toEqual([session.seq])
  expect(bytes).toBeLessThan(1.5 * count * text.length)
})

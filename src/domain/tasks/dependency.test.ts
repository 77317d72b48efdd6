import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { weakestOf, type Link } from './dependency.ts'
import type { EdgeType, Task } from './events.ts'
import { dependencyDocument } from './views.ts'
import type { Why } from './why.ts'

async function begin(count = 0, host = fixedHost()): Promise<Session> {
  const kernel = { ...memoryKernel({ checkpoints: false }), host }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  for (let n = 0; n < count; n++) await session.run('task.add', { title: `number ${n + 1}` })
  return session
}

const depend = (session: Session, from: string, to: string, type: EdgeType = 'blocks') =>
  session.run('dependency.add', { from, to, type })
const taskOf = (session: Session, id: string) => session.get(`$.execution.tasks['${id}']`) as Task

async function valueOf<T>(session: Session, name: string, input: object = {}): Promise<T> {
  const answer = await session.run(name, input)
  if (answer.kind === 'refused') throw new Error(answer.message)
  return answer.value as T
}

const why = (session: Session, task: string) => valueOf<Why>(session, 'task.why', { task })

async function finish(session: Session, task: string) {
  await session.run('task.claim', { task })
  await session.run('task.done', { task })
}

describe('K5 circles', () => {
  test('a dependency that would close one is refused with its path and the weakest edge', async () => {
    const session = await begin(3)
    await depend(session, 'task-1', 'task-2')
    await depend(session, 'task-3', 'task-2', 'requires')
    const refused = await depend(session, 'task-3', 'task-1')
    expect(refused).toMatchObject({
      code: 'DEPENDENCY_CYCLE',
      details: {
        path: ['task-1', 'task-3', 'task-2', 'task-1'],
        weakest: { from: 'task-1', to: 'task-2', type: 'blocks' },
      },
    })
    expect(refused).toHaveProperty('hint', expect.stringContaining('dependency break task-1 task-2'))
    expect(await depend(session, 'task-1', 'task-1')).toMatchObject({ details: { path: ['task-1', 'task-1'] } })
  })

  test('every type counts, in the direction in which it is said', async () => {
    const session = await begin(2)
    await depend(session, 'task-1', 'task-2', 'enables')
    expect(await depend(session, 'task-1', 'task-2', 'requires')).toMatchObject({ code: 'DEPENDENCY_CYCLE' })
    expect(await depend(session, 'task-2', 'task-1', 'requires')).toMatchObject({ kind: 'accepted' })
    expect(taskOf(session, 'task-2')).toMatchObject({ dependencies: ['task-1'], waits: 1 })
    expect(taskOf(session, 'task-1')).toMatchObject({ blocking: ['task-2'], waits: 0 })
  })

  test('a chain of thousands is walked without a stack', async () => {
    const session = await begin()
    const tasks = Array.from({ length: 5000 }, (_, n) => ({
      id: `task-${n}`,
      title: 'x',
      dependencies: n === 0 ? [] : [`task-${n - 1}`],
    }))
    await session.run('task.import', { tasks })
    const refused = await depend(session, 'task-4999', 'task-0')
    expect(refused).toMatchObject({ code: 'DEPENDENCY_CYCLE', details: { path: { length: 5001 } } })
    expect((await why(session, 'task-4999')).roots).toEqual(['task-0'])
    expect(await valueOf(session, 'dependency.cycles')).toEqual([])
  })

  test('one that was imported keeps its tasks waiting, is listed, and is broken only by somebody', async () => {
    const session = await begin()
    const tasks = [1, 2, 3, 4].map((n) => ({ id: `task-${n}`, title: 'x', priority: n === 2 ? 'low' : 'high' }))
    const edges = [
      { from: 'task-1', to: 'task-2', type: 'blocks' },
      { from: 'task-2', to: 'task-3', type: 'blocks' },
      { from: 'task-3', to: 'task-1', type: 'blocks' },
      { from: 'task-3', to: 'task-4', type: 'enables' },
    ]
    await session.run('task.import', { tasks, edges })
    expect(await valueOf(session, 'task.ready')).toEqual([])
    expect(await valueOf(session, 'dependency.cycles')).toMatchObject([
      { path: { length: 4 }, weakest: { from: 'task-1', to: 'task-2' }, because: expect.stringContaining('urgent') },
    ])
    expect((await why(session, 'task-1')).circle).toEqual(['task-1', 'task-3', 'task-2', 'task-1'])
    const { chain } = await why(session, 'task-4')
    expect(chain.map(({ id }) => id)).toEqual(['task-4', 'task-3', 'task-2', 'task-1'])
    expect(chain[1]?.next).toBe('steadfold dependency break task-1 task-2')
    const { seq } = session
    expect(await session.run('dependency.break', { from: 'task-3' })).toMatchObject({
      code: 'NEEDS_PERSON',
      hint: expect.stringContaining('dependency break task-1 task-2'),
      details: { edges: { length: 3 } },
    })
    expect(session.seq).toBe(seq)
    expect(await session.run('dependency.break', { from: 'task-1', to: 'task-2', reason: 'agreed' })).toMatchObject({
      value: { weakest: true, reason: 'agreed', type: 'blocks' },
    })
    for (const id of ['task-2', 'task-3', 'task-1', 'task-4']) await finish(session, id)
    expect(['task-1', 'task-4'].map((id) => taskOf(session, id).status)).toEqual(['completed', 'completed'])
  })

  test('two circles that hang together by a chain are both found', async () => {
    const session = await begin()
    const tasks = ['a', 'b', 'c', 'd'].map((id) => ({ id: `task-${id}`, title: 'x' }))
    const pairs = ['ab', 'ba', 'bc', 'cd', 'dc']
    const edges = pairs.map(([from = '', to = '']) => ({ from: `task-${from}`, to: `task-${to}`, type: 'blocks' }))
    await session.run('task.import', { tasks, edges })
    const circles = await valueOf<readonly { path: readonly string[] }[]>(session, 'dependency.cycles')
    expect(circles.map(({ path }) => [...new Set(path)].toSorted())).toEqual([
      ['task-a', 'task-b'],
      ['task-c', 'task-d'],
    ])
  })

  test('no sequence of dependencies makes a task wait for itself, and what is refused would have', async () => {
    const node = fc.nat({ max: 6 })
    const type = fc.constantFrom<EdgeType>('blocks', 'enables', 'requires')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(node, node, type), { maxLength: 40 }), async (pairs) => {
        const session = await begin(7)
        const waits = new Map<string, Set<string>>()
        const reaches = (from: string, to: string): boolean =>
          from === to || [...(waits.get(from) ?? [])].some((next) => reaches(next, to))
        for (const [a, b, kind] of pairs) {
          const [from, to] = [`task-${a + 1}`, `task-${b + 1}`]
          const [source, waiting] = kind === 'requires' ? [to, from] : [from, to]
          const answer = await depend(session, from, to, kind)
          expect(answer.kind).toBe(reaches(source, waiting) ? 'refused' : 'accepted')
          if (answer.kind === 'accepted') waits.set(waiting, (waits.get(waiting) ?? new Set()).add(source))
          else if (answer.kind === 'refused') expectPath(answer.details?.['path'] as readonly string[], waits, source)
        }
      }),
      { numRuns: 60 },
    )
  })

  /** Each waits for the next, but for the first step: that is the one which was refused. */
  function expectPath(path: readonly string[], waits: ReadonlyMap<string, ReadonlySet<string>>, source: string) {
    expect(path[0]).toBe(path.at(-1))
    expect(path[1]).toBe(source)
    for (let n = 1; n + 1 < path.length; n++) expect(waits.get(path[n] ?? '')?.has(path[n + 1] ?? '')).toBe(true)
  }
})

describe('the weakest edge', () => {
  const link = (source: string, type: EdgeType, seq: number, waiting = 'task-9'): Link => ({
    source,
    waiting,
    type,
    seq,
    at: '',
  })
  const tasks = { 'task-9': { priority: 'high' }, 'task-8': { priority: 'low' } } as unknown as Record<string, Task>

  test.each<[string, readonly Link[], string]>([
    ['the only one', [link('a', 'requires', 1)], 'a'],
    ['the loosest type', [link('a', 'requires', 1), link('b', 'enables', 2), link('c', 'blocks', 3)], 'b'],
    ['the least urgent', [link('a', 'blocks', 3), link('b', 'blocks', 1, 'task-8'), link('c', 'blocks', 2)], 'b'],
    ['added last', [link('a', 'blocks', 1), link('b', 'blocks', 7), link('c', 'blocks', 2)], 'b'],
  ])('is %s', (_what, links, source) => {
    const weakest = weakestOf(tasks, links)
    expect(weakest?.link.source).toBe(source)
    expect(weakest?.because).not.toBe('')
  })

  test('another may be broken, and the log tells that it was not the weakest', async () => {
    const session = await begin(3)
    await depend(session, 'task-1', 'task-3', 'enables')
    await depend(session, 'task-3', 'task-2', 'requires')
    expect(await session.run('dependency.break', { from: 'task-3', to: 'task-2' })).toMatchObject({
      value: { weakest: false, because: expect.stringContaining('task-1 enables task-3') },
    })
    expect(taskOf(session, 'task-3').waits).toBe(1)
    expect(await session.run('dependency.break', { from: 'task-3', to: 'task-2' })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await session.run('dependency.break', { from: 'task-1' })).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('why', () => {
  test.each<[string, (session: Session) => Promise<unknown>, RegExp, string | null]>([
    ['ready', () => Promise.resolve(), /ready/, 'steadfold task claim task-1'],
    ['claimed', (s) => s.run('task.claim', { task: 'task-1' }), /claimed by human:local until 2026/, null],
    [
      'blocked',
      (s) => s.run('task.block', { task: 'task-1', reason: 'who?' }),
      /blocked by human:local: who\?/,
      'steadfold task unblock task-1',
    ],
    ['cancelled', (s) => s.run('task.cancel', { task: 'task-1' }), /cancelled/, 'steadfold task retry task-1'],
  ])('ends at a task that is %s', async (_what, does, said, next) => {
    const session = await begin(4)
    await depend(session, 'task-1', 'task-2')
    await depend(session, 'task-2', 'task-3')
    await depend(session, 'task-4', 'task-3', 'enables')
    await does(session)
    const { chain, roots, because, ready } = await why(session, 'task-3')
    expect(ready).toBe(false)
    expect(chain.map(({ id, depth }) => [id, depth])).toEqual([
      ['task-3', 0],
      ['task-2', 1],
      ['task-1', 2],
      ['task-4', 1],
    ])
    expect(roots).toEqual(['task-1', 'task-4'])
    expect(chain[2]?.why).toMatch(said)
    expect(chain[2]?.next).toBe(next)
    expect(because).toMatch(said)
  })

  test('a failed attempt and something outside are told, too', async () => {
    const session = await begin(2)
    await session.run('task.claim', { task: 'task-1' })
    await session.run('task.fail', { task: 'task-1', reason: 'no network' })
    await depend(session, 'task-1', 'task-2')
    await depend(session, 'resource:db', 'task-2')
    const { chain } = await why(session, 'task-2')
    expect(chain.slice(1)).toMatchObject([
      { id: 'task-1', why: 'failed: no network', next: 'steadfold task retry task-1' },
      { id: 'resource:db', why: 'is unavailable', next: 'steadfold dependency tell resource:db available' },
    ])
  })
})

test('K6 a task waits for something outside while that is not available', async () => {
  const session = await begin(1)
  await depend(session, 'task-1', 'resource:db', 'requires')
  const ready = async () => (await valueOf<readonly unknown[]>(session, 'task.ready')).length
  expect(await ready()).toBe(0)
  await session.run('dependency.tell', { node: 'resource:db', status: 'available' })
  expect(await ready()).toBe(1)
  await session.run('dependency.tell', { node: 'resource:db', status: 'in repair' })
  expect(await ready()).toBe(0)
  await session.run('dependency.remove', { from: 'resource:db', to: 'task-1' })
  expect(await ready()).toBe(1)
})

test('what is met does not hold up, and a finished task cannot be made to wait', async () => {
  const session = await begin(3)
  await finish(session, 'task-1')
  await depend(session, 'task-1', 'task-2')
  expect(taskOf(session, 'task-2')).toMatchObject({ dependencies: ['task-1'], waits: 0 })
  expect(await depend(session, 'task-2', 'task-1')).toMatchObject({ code: 'TASK_STATUS_INVALID' })
  expect(await depend(session, 'task-9', 'task-2')).toMatchObject({ code: 'NOT_FOUND' })
  expect(await depend(session, 'task-2', 'task-9')).toMatchObject({ code: 'NOT_FOUND' })
  const { seq } = session
  await depend(session, 'task-1', 'task-2')
  expect(session.seq).toBe(seq)
  await depend(session, 'task-1', 'task-2', 'enables')
  expect(await valueOf(session, 'dependency.list', { node: 'task-2' })).toMatchObject([{ type: 'enables', met: true }])
})

test('the graph is drawn, and told as session documents have it', async () => {
  const session = await begin(2)
  await session.run('task.update', { task: 'task-1', title: 'say "hi" <b>' })
  await depend(session, 'task-1', 'task-2')
  await depend(session, 'agent:ana', 'task-2', 'enables')
  expect(await valueOf(session, 'task.graph')).toBe('* task-1  say  hi   b \n  task-2  number 2  ← task-1, agent:ana\n')
  expect(await valueOf(session, 'task.graph', { format: 'mermaid' })).toContain('n0 --> n1')
  expect(await valueOf(session, 'task.graph', { format: 'dot' })).toContain('"agent:ana" -> "task-2" [label=enables]')
  expect(dependencyDocument(await session.stateAt())).toMatchObject({
    graph: {
      nodes: { 'task-1': { type: 'task', status: 'pending' }, 'agent:ana': { type: 'agent', status: 'unavailable' } },
      edges: [
        { from: 'task-1', to: 'task-2', type: 'blocks' },
        { from: 'agent:ana', to: 'task-2', type: 'enables' },
      ],
    },
    blocks: [{ blocked_item: 'task-2', blocking_items: ['task-1', 'agent:ana'], estimated_resolution: null }],
  })
})

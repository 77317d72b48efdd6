import { expect, test } from 'vitest'
import { Journal } from './edit.ts'
import { fold, makeFolder } from './fold.ts'
import { defineModule, sliceOf, type Tree } from './module.ts'

const counting = (slice: string, type: string) =>
  defineModule<Record<string, number>, { readonly type: string; readonly data: { readonly id: string } }>({
    slice,
    initial: () => ({}),
    evolve: { [type]: (own, { id }, edit) => edit.set(own, id, (own[id] ?? 0) + 1) },
  })

const folder = makeFolder([counting('execution.agents', 'agent.seen'), counting('execution.tasks', 'task.seen')])
const commit = (seq: number, ...types: readonly string[]) => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  actor: 'tool:test',
  events: types.map((type) => ({ type, data: { id: 'x' } })),
})

test('two modules have slices in one member of the tree, each its own', () => {
  const tree: Tree = {}
  fold(folder, tree, commit(1, 'task.seen', 'agent.seen', 'task.seen'), new Journal())
  expect(tree).toEqual({ execution: { tasks: { x: 2 }, agents: { x: 1 } } })
  expect(sliceOf(tree, 'execution.tasks')).toEqual({ x: 2 })
  expect(sliceOf({}, 'execution.tasks')).toBeUndefined()
})

test('E1 a slice that was made on the way is gone when it is taken back', () => {
  const tree: Tree = {}
  const journal = new Journal()
  fold(folder, tree, commit(1, 'task.seen'), journal)
  journal.rollback()
  expect(tree).toEqual({})
})

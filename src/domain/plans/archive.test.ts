import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

const DAY = 86_400_000

const WAYS = [
  ['task.archive', {}],
  ['session.tidy', { older_ms: DAY }],
] as const

/** An epic under way with one sprint that has ended and one that goes on, and a completed task of each. */
async function planned() {
  const { host, session } = await begin()
  const run = (name: string, input: object) => session.run(name, input)
  await run('epic.add', { title: 'auth', owner: 'ana' })
  await run('epic.approve', { epic: 'epic-1' })
  await run('epic.start', { epic: 'epic-1' })
  for (const name of ['one', 'two'])
    await run('sprint.add', { name, epic: 'epic-1', start: '2026-01-01', end: '2026-01-14' })
  for (const sprint of ['sprint-1', 'sprint-2']) await run('sprint.start', { sprint })
  const contexts = [{ epic: 'epic-1' }, { sprint: 'sprint-1' }, { sprint: 'sprint-2' }, {}, { epic: 'epic-1' }]
  for (const context of contexts) await run('task.add', { title: 'x', effort: 3, ...context })
  for (const task of ['task-1', 'task-2', 'task-3', 'task-4']) {
    await run('task.claim', { task })
    await run('task.done', { task })
  }
  await run('sprint.complete', { sprint: 'sprint-1' })
  host.advance(2 * DAY)
  const progress = async () =>
    [await run('epic.list', {}), await run('sprint.list', {})].map(
      (answer) => answer.kind === 'accepted' && answer.value,
    )
  return { run, progress, ids: () => Object.keys(session.get('$.execution.tasks') as object) }
}

test.each(WAYS)('N5 %s takes away no progress of what goes on', async (name, input) => {
  const { run, progress, ids } = await planned()
  const before = await progress()
  expect(before[0]).toMatchObject([{ tasks: 4, completed: 3, velocity: 3 }])
  expect(await run(name, input)).toMatchObject({ kind: 'accepted' })
  expect(await progress()).toEqual(before)
  expect(ids()).toEqual(['task-1', 'task-2', 'task-3', 'task-5'])
})

test.each(WAYS)('N6 what has ended was as much work after %s as before', async (name, input) => {
  const { run, progress, ids } = await planned()
  await run('epic.cancel', { epic: 'epic-1' })
  await run('sprint.cancel', { sprint: 'sprint-2' })
  const before = await progress()
  expect(before).toMatchObject([[{ tasks: 4, completed: 3, velocity: 3 }], [{ velocity: 3 }, { velocity: 3 }]])
  for (const _ of [1, 2]) {
    await run(name, input)
    expect(await progress()).toEqual(before)
  }
  expect(ids()).toEqual(['task-5'])
  expect(await run('sprint.show', { sprint: 'sprint-1' })).toMatchObject({ value: { counts: { completed: 1 } } })
})

test('N5 when an epic has ended, with its sprints, its tasks can go', async () => {
  const { run, ids } = await planned()
  await run('epic.cancel', { epic: 'epic-1' })
  await run('task.archive', {})
  expect(ids()).toEqual(['task-3', 'task-5'])
  await run('sprint.cancel', { sprint: 'sprint-2' })
  await run('task.archive', {})
  expect(ids()).toEqual(['task-5'])
})

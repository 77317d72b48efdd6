/* The tasks of a document: who did them, and how many there may be. */
import { expect, test } from 'vitest'
import type { Task } from '../../src/domain/tasks/events.ts'
import { json } from './files.ts'
import { imported, planOf } from './taken.ts'

test('K10 who did a task is known, and does not approve it', async () => {
  const task = { title: 'A', assignee: 'dev-1', context: { team: 'core' } }
  const tasks = {
    'task-a': { ...task, status: 'review' },
    'task-b': { ...task, status: 'completed' },
    'task-c': { ...task, status: 'pending' },
  }
  const teams = { core: { name: 'Core', orchestrator: 'lead', members: [], settings: { require_approval: true } } }
  const document = { session: {}, organization: { teams }, execution: { tasks }, communication: {} }
  const { session } = await imported(planOf(json('doc.json', document)))
  expect(await session.query('$.execution.tasks.*.assignee')).toEqual(['agent:dev-1', 'agent:dev-1', null])
  const asked = session.run('task.done', { task: 'task-a' }, { actor: 'agent:dev-1' })
  expect(await asked).toMatchObject({ kind: 'refused', code: 'NEEDS_PERSON' })
})

test('more tasks than fit into one commit come in as in one, whatever they wait for', async () => {
  const listOf = (description: string) =>
    json(
      'tasks.json',
      Array.from({ length: 180 }, (_, at) => ({
        id: `${at}`,
        subject: `task ${at}`,
        status: at % 3 === 0 ? 'completed' : at % 7 === 0 ? 'blocked' : 'pending',
        description,
        // Of a task far behind it, and of one far before.
        blockedBy: [at + 70, at % 2 === 0 ? at - 90 : at + 1].filter((to) => to >= 0 && to < 180).map(String),
      })),
    )
  const stand = async (description: string) => {
    const { session, refused } = await imported(planOf(listOf(description)))
    expect(refused).toEqual([])
    const tasks = session.get('$.execution.tasks') as Readonly<Record<string, Task>>
    return Object.values(tasks).map(({ id, status, dependencies, blocking }) => {
      return { id, status, dependencies: dependencies.toSorted(), blocking: blocking.toSorted() }
    })
  }
  expect(await stand('x'.repeat(100_000))).toEqual(await stand('x'))
})

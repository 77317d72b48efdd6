/* Who did the tasks of a session document. */
import { expect, test } from 'vitest'
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

/* Lists of tasks that are odd, and those that have grown: I6. */
import { describe, expect, test } from 'vitest'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import * as files from './files.ts'
import { imported, optionsOf, planOf } from './taken.ts'

test('tasks of a list have numbers for names, or none; what is no task among them is named', async () => {
  const list = [
    { id: 1, subject: 'Mend the gate', status: 'completed', blocks: [3] },
    'words',
    { id: 3, subject: 'Oil the hinge', status: 'pending', blockedBy: [1] },
    { subject: 'Paint it', status: 'pending' },
    { id: '5', status: 'pending' },
    { id: '6', subject: 'Rest' },
  ]
  const plan = planOf(files.json('tasks.json', list))
  const { session, refused } = await imported(plan)
  expect(refused).toEqual([])
  expect(session.get('$.execution.tasks')).toMatchObject({
    'task-1': { status: 'completed' },
    'task-3': { title: 'Oil the hinge', dependencies: ['task-1'] },
    'task-todo-4': { title: 'Paint it' },
  })
  expect(plan.problems).toEqual([
    'tasks: item 2 is no task: it is no object',
    'tasks: item 5 is no task: it has no text as subject or content',
    'tasks: item 6 is no task: it has no text as status',
  ])
})

describe('I6 a list that has grown, into the session that has it', () => {
  const [one, two] = [
    { id: '1', subject: 'Mend the gate', status: 'pending' },
    { id: '2', subject: 'Oil the hinge', status: 'pending', blockedBy: ['1'] },
  ]
  const three = { id: '3', subject: 'Paint it', status: 'pending', blockedBy: ['2'], blocks: ['2'] }
  const again = async (...tasks: readonly object[]) => {
    const { into, session } = await imported(planOf(files.json('tasks.json', [one, two])))
    await session.run('task.claim', { task: 'task-1' })
    const plan = planOf(files.json('tasks.json', tasks))
    const done = () => carryOut(into, plan, { ...optionsOf(plan), session })
    return { session, first: await done(), done }
  }

  test('what is new is added, what is there stays as it is and is told; once more is no change', async () => {
    const { session, first, done } = await again({ ...one, status: 'completed' }, two, three)
    expect(first).toMatchObject({ refused: [], kept: ['task-1', 'task-2'], repeated: false })
    expect(session.get('$.execution.tasks')).toMatchObject({
      'task-1': { status: 'assigned' },
      'task-2': { dependencies: ['task-1'] },
      'task-3': { title: 'Paint it', dependencies: ['task-2'] },
    })
    expect(JSON.stringify(session.get('$.data.imports'))).toContain('"kept":["task-1","task-2"]')
    expect(await done()).toMatchObject({ refused: [], kept: ['task-1', 'task-2'], repeated: true })
  })

  test('a title that came without its secret is the same one', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const named = { ...one, subject: `Mend the gate with ${secret}` }
    const { into, session } = await imported(planOf(files.json('tasks.json', [named, two])))
    const plan = planOf(files.json('tasks.json', [named, two, three]))
    const grown = await carryOut(into, plan, { ...optionsOf(plan), session })
    expect(grown).toMatchObject({ refused: [], kept: ['task-1', 'task-2'] })
    expect(session.get("$.execution.tasks['task-1'].title")).toBe('Mend the gate with [redacted:github-token]')
    expect(session.get("$.execution.tasks['task-3'].title")).toBe('Paint it')
  })

  test('where another task has the id, nothing of it is mixed in', async () => {
    const { session, first } = await again({ ...one, subject: 'Something else' }, three)
    expect(first).toMatchObject({
      kept: [],
      refused: [
        {
          code: 'NAME_TAKEN',
          message: expect.stringContaining('gate'),
          hint: expect.stringContaining('steadfold task update task-1'),
        },
      ],
    })
    expect(session.get("$.execution.tasks['task-3']")).toBeUndefined()
  })
})

/* What of a file arrives, member by member. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Source } from '../../src/kernel/exchange/importer.ts'
import { lived } from '../session-state/lived.ts'
import * as files from './files.ts'

async function imported(...sources: readonly Source[]) {
  const [plan] = detect(sources).plans
  if (plan === undefined) throw new Error('nobody knows it')
  const bytes = sources.map(({ text }) => Buffer.from(text))
  return { plan, ...(await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'given', bytes })) }
}

test('an event of the very moment at which the checkpoint was saved counts, whatever zone it is told in', async () => {
  const event = (timestamp: string, id: string) => ({
    type: 'task_created',
    timestamp,
    source: 'o',
    data: { task_id: id, task_data: { title: id } },
  })
  const log = files.lines(
    'session-1f.jsonl',
    event('2026-01-02T00:59:59+01:00', 'task-before'),
    event('2026-01-02T00:00:00Z', 'task-then'),
    event('2026-01-01T23:30:00-01:00', 'task-later'),
  )
  const { plan, session } = await imported(files.sessionDocument, log)
  expect(Object.keys(session.get('$.execution.tasks') as object)).toEqual(
    expect.arrayContaining(['task-then', 'task-later']),
  )
  expect(session.get('$.execution.tasks.task-before')).toBeUndefined()
  expect(plan.rows).toContainEqual({ what: 'events before the checkpoint', count: 1, becomes: 'part of it already' })
})

test('what a task took, and why one is blocked, come in with it', async () => {
  const tasks = {
    'task-a': { title: 'A', status: 'completed', estimated_effort: 3, actual_effort: 4 },
    'task-b': { title: 'B', status: 'blocked' },
    'task-c': { title: 'C', status: 'blocked', block: { kind: 'held', reason: 'no oil' } },
    'task-d': { title: 'D', status: 'blocked' },
  }
  const blocks = [{ blocked_item: 'task-b', blocking_items: ['keys'], reason: 'waits for API keys' }]
  const communication = { coordination: { dependencies: { blocks } } }
  const document = { session: {}, organization: {}, execution: { tasks }, communication }
  const { session } = await imported(files.json('doc.json', document))
  expect(session.get('$.execution.tasks')).toMatchObject({
    'task-a': { estimated_effort: 3, actual_effort: 4 },
    'task-b': { block: { reason: 'waits for API keys' } },
    'task-c': { block: { reason: 'no oil' } },
    'task-d': { block: { reason: 'blocked where it was imported from' } },
  })
})

test('why events say that a task is blocked, and what a task took, come in with it', async () => {
  const event = (type: string, payload: object) => ({ type, timestamp: '2025-01-20T14:30:00Z', payload })
  const log = files.lines(
    'e.jsonl',
    event('task:created', { task_id: 'task-a', title: 'A' }),
    event('task:blocked', { task_id: 'task-a', reason: 'Waiting for API keys' }),
    event('task:created', { task_id: 'task-b', title: 'B' }),
    event('task:blocked', { task_id: 'task-b', reason: 'no oil' }),
    event('task:completed', { task_id: 'task-b', actual_effort: 7 }),
  )
  const { session } = await imported(log)
  expect(session.get('$.execution.tasks')).toMatchObject({
    'task-a': { status: 'blocked', block: { reason: 'Waiting for API keys' } },
    'task-b': { status: 'completed', block: null, actual_effort: 7 },
  })
})

test('a sprint keeps what was given to which team', async () => {
  const document = {
    session: {},
    organization: { teams: { core: { name: 'Core', orchestrator: 'lead', members: [] } } },
    execution: {
      tasks: {},
      workflows: {
        active_sprints: [
          {
            id: 'sprint-1',
            epic_id: 'epic-1',
            name: 'S',
            start_date: '2026-01-05',
            end_date: '2026-01-16',
            team_assignments: { core: ['ann', 'task-a'] },
          },
        ],
        epics: { 'epic-1': { title: 'E', owner: 'pm' } },
      },
    },
    communication: {},
  }
  const { session, refused } = await imported(files.json('doc.json', document))
  expect(refused).toEqual([])
  expect(await session.get('$.execution.workflows.active_sprints[0].team_assignments')).toEqual({
    core: ['ann', 'task-a'],
  })
})

test('the document of a session here brings its outputs and its data; what else it has is told', async () => {
  const began = await lived()
  await began.run('output.set', { name: 'K', value: 'v' })
  const { plan, session, refused } = await imported(files.json('own.json', await began.get()))
  expect(refused).toEqual([])
  expect(session.get('$.outputs')).toEqual(began.get('$.outputs'))
  expect(session.get('$.data')).toMatchObject(began.get('$.data') as object)
  expect(plan.rows).toEqual(
    expect.arrayContaining(
      ['workflow', 'supervision', 'steps', 'turns', 'conversation'].map((what) => ({
        what,
        count: 1,
        becomes: undefined,
      })),
    ),
  )
})

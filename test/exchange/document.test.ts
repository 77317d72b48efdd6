/* What a session document says in more than one place. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/importing.ts'
import { json } from './files.ts'

interface Parts {
  readonly organization?: object
  readonly execution?: object
  readonly communication?: object
}

async function imported(parts: Parts) {
  const document = { session: {}, organization: {}, execution: {}, communication: {}, ...parts }
  const [plan] = detect([json('session-1f.json', document)]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  const bytes = [Buffer.from(JSON.stringify(document))]
  const { session, refused } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'given', bytes })
  expect(refused).toEqual([])
  return { session, plan }
}

test('what a task blocks waits for it, and so does what only the graph says', async () => {
  const tasks = {
    'task-a': { title: 'A', blocking: ['task-b', 'task-gone'] },
    'task-b': { title: 'B', dependencies: ['task-a'] },
    'task-c': { title: 'C' },
    'task-d': { title: 'D' },
    'task-e': { title: 'E', blocking: ['task-d'] },
  }
  const edges = [
    { from: 'task-b', to: 'task-c', type: 'blocks' },
    { from: 'task-d', to: 'task-c', type: 'requires' },
    { from: 'agent-x', to: 'task-a', type: 'enables' },
  ]
  const communication = { coordination: { dependencies: { graph: { nodes: {}, edges } } } }
  const { session, plan } = await imported({ execution: { tasks }, communication })
  const needs = (id: string) => session.get(`$.execution.tasks['${id}'].dependencies`)
  expect(['task-a', 'task-b', 'task-c', 'task-d'].map(needs)).toEqual([
    [],
    ['task-a'],
    ['task-b'],
    expect.arrayContaining(['task-c', 'task-e']),
  ])
  expect(plan.problems).toEqual(['execution.tasks: "task-a" blocks "task-gone", which is not there'])
  expect(plan.rows).toContainEqual({
    what: 'edges of the graph between tasks',
    count: 2,
    becomes: 'what tasks wait for',
  })
  expect(plan.rows).toContainEqual({ what: 'edges of the graph beside the tasks', count: 1, becomes: undefined })
})

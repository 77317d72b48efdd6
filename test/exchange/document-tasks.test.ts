/* Tasks of a session document: what they wait for, and who did them. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import type { Detected, Source } from '../../src/kernel/import.ts'
import { carryOut } from '../../src/kernel/importing.ts'
import { json } from './files.ts'

const planOf = (source: Source): Detected => {
  const [plan] = detect([source]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  return plan
}

const imported = (plan: Detected) =>
  carryOut(makeWorkspace(memoryKernel()), plan, {
    name: plan.group,
    bytes: plan.sources.map(({ text }) => Buffer.from(text)),
  })

test('a task waits for what the graph says, or who blocks it, also where it does not say so itself', async () => {
  const tasks = {
    'task-a': { title: 'A', blocking: ['task-b', 'task-gone'] },
    'task-b': { title: 'B' },
    'task-c': { title: 'C' },
    'task-d': { title: 'D', dependencies: ['task-a'] },
  }
  const edges = [
    { from: 'task-a', to: 'task-c', type: 'enables' },
    { from: 'task-c', to: 'task-b', type: 'requires' },
    { from: 'resource:db', to: 'task-a', type: 'blocks' },
  ]
  const communication = { coordination: { dependencies: { graph: { nodes: {}, edges } } } }
  const plan = planOf(json('doc.json', { session: {}, organization: {}, execution: { tasks }, communication }))
  const { session, refused } = await imported(plan)
  expect(refused).toEqual([])
  expect(plan.rows).toContainEqual({ what: 'edges of the graph beside the tasks', count: 1, becomes: undefined })
  const ready = (await session.run('task.ready', {})) as { readonly value: readonly { readonly id: string }[] }
  expect(ready.value.map(({ id }) => id)).toEqual(['task-a'])
  expect(await session.get('$.communication.coordination.dependencies.graph.edges')).toEqual([
    { from: 'task-a', to: 'task-c', type: 'enables' },
    { from: 'task-c', to: 'task-b', type: 'requires' },
    { from: 'task-a', to: 'task-b', type: 'blocks' },
    { from: 'task-d', to: 'task-a', type: 'requires' },
  ])
})

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

/* What a session document says in more than one place. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Session } from '../../src/kernel/session.ts'
import { json, lines } from './files.ts'

interface Parts {
  readonly session?: object
  readonly organization?: object
  readonly execution?: object
  readonly communication?: object
}

async function imported(parts: Parts, into = makeWorkspace(memoryKernel()), known?: Session) {
  const document = { session: {}, organization: {}, execution: {}, communication: {}, ...parts }
  const [plan] = detect([json('session-1f.json', document)]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  const bytes = [Buffer.from(JSON.stringify(document))]
  const { session, refused } = await carryOut(into, plan, {
    name: 'given',
    bytes,
    session: known,
  })
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

const set = {
  session: {
    user_context: { user_preferences: { max_parallel_agents: 3, consent_mode: 'informed', colour: 'red' } },
    lifecycle: { auto_cleanup: false },
  },
  organization: { global_settings: { token_budget: 100_000, time_budget_minutes: 480, max_concurrent_agents: 10 } },
  execution: {
    agents: {
      pool: {
        dev: { min_instances: 1, max_instances: 4, scaling_policy: 'demand', resource_limits: { max_memory_mb: 9 } },
      },
    },
  },
}

test('I5 a session that begins with a document has its limits, pools and preferences', async () => {
  const { session } = await imported(set)
  expect(session.get('$.organization.global_settings')).toEqual(set.organization.global_settings)
  expect(session.get('$.execution.agents.pool.dev')).toMatchObject(set.execution.agents.pool.dev)
  expect(session.get('$.session.user_context.user_preferences')).toMatchObject({
    max_parallel_agents: 3,
    consent_mode: 'informed',
  })
  expect(session.get('$.session.lifecycle.auto_cleanup')).toBe(false)
})

test('I5 one that was there before keeps its own', async () => {
  const workspace = makeWorkspace(memoryKernel())
  const session = await workspace.createSession({ name: 'mine' })
  await session.run('budget.set', { token_budget: 5 })
  await imported(set, workspace, session)
  expect(session.get('$.organization.global_settings')).toEqual({ token_budget: 5 })
  expect(session.get('$.execution.agents.pool')).toEqual({})
})

const epic = (status: string, more: object = {}) => ({ title: status, owner: 'pm', status, ...more })
const sprint = (id: string, of: string, status: string) => ({
  id,
  epic_id: of,
  name: id,
  status,
  start_date: '2026-01-05',
  end_date: '2026-01-16',
  task_categories: { completed: [`task-${id}`] },
})

test('epics and sprints come in as far as they had come, those that had ended with their tasks', async () => {
  const workflows = {
    epics: {
      'epic-a': epic('draft'),
      'epic-b': epic('approved'),
      'epic-c': epic('in_progress'),
      'epic-d': epic('completed', { timeline: { actual_weeks: 5 } }),
      'epic-e': epic('cancelled'),
      'epic-f': epic('toString'),
    },
    active_sprints: [
      sprint('sprint-a', 'epic-c', 'planning'),
      sprint('sprint-b', 'epic-c', 'active'),
      sprint('sprint-c', 'epic-c', 'review'),
      sprint('sprint-d', 'epic-d', 'completed'),
    ],
    past_sprints: { 'sprint-e': sprint('sprint-e', 'epic-e', 'cancelled') },
  }
  const tasks = { 'task-sprint-d': { title: 'D', status: 'completed' }, 'task-sprint-e': { title: 'E' } }
  const { session, plan } = await imported({ execution: { workflows, tasks } })
  const { value } = (await session.run('epic.list', {})) as { value: readonly { id: string; status: string }[] }
  expect(Object.fromEntries(value.map(({ id, status }) => [id, status]))).toEqual({
    'epic-a': 'draft',
    'epic-b': 'approved',
    'epic-c': 'in_progress',
    'epic-d': 'completed',
    'epic-e': 'cancelled',
    'epic-f': 'draft',
  })
  const { active_sprints: open, past_sprints: past } = (await session.get('$.execution.workflows')) as typeof workflows
  expect(open.map(({ id, status }) => [id, status])).toEqual([
    ['sprint-a', 'planning'],
    ['sprint-b', 'active'],
    ['sprint-c', 'review'],
  ])
  expect(past).toMatchObject({ 'sprint-d': { status: 'completed' }, 'sprint-e': { status: 'cancelled' } })
  expect(session.get("$.execution.tasks['task-sprint-e'].context.sprint_id")).toBe('sprint-e')
  expect(plan.problems).toContain('epic "epic-d" took 5 weeks; here they are counted from the import')
})

test('R3 a task that an event completes was completed then, not when the document last said something of it', () => {
  const task = { title: 'A', status: 'in_progress', updated_at: '2026-01-02T08:30:00' }
  const document = json('session-1f.json', {
    session: {},
    organization: {},
    communication: {},
    execution: { tasks: { 'task-a': task } },
  })
  const data = { path: 'execution.tasks.task-a.status', new_value: 'completed' }
  const log = lines('session-1f.jsonl', { type: 'state_updated', timestamp: '2026-01-02T09:10:00', data })
  const [plan] = detect([document, log]).plans
  expect(plan?.requests).toMatchObject([
    { op: 'task.import', input: { tasks: [{ status: 'completed', completed_at: '2026-01-02T09:10:00.000Z' }] } },
  ])
})

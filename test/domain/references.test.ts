/* What a state names and does not hold, as documents from elsewhere may bring it. */
import { expect, test } from 'vitest'
import { memoryKernel } from '../../src/compose.ts'
import type { Tree } from '../../src/kernel/state/module.ts'

const look = async (root: Tree) => (await memoryKernel().references?.(root)) ?? []
const said = async (root: Tree) => (await look(root)).map(({ path, names }) => `${path}: ${names}`)

const heap = { slots: {}, places: {}, size: 0 }
const agents = (active: object, more: object = {}) => ({
  active,
  pool: {},
  leases: heap,
  types: {},
  tokens: 0,
  gone: [],
  ...more,
})
const agent = (parent: string | null, more: object = {}) => ({
  current_task: null,
  context: { parent_agent: parent, child_agents: [], ...more },
})
const context = { epic_id: null, sprint_id: null, project_id: null, acceptance_criteria: [] }
const task = (id: string, more: object = {}) => ({
  id,
  status: 'pending',
  dependencies: [],
  blocking: [],
  claim: null,
  context,
  ...more,
})
const index = { added: 2, ready: heap, leases: heap, held: {}, edges: {}, outside: {} }

test('R1 an empty state and a state at rest name nothing that is not there', async () => {
  expect(await look({})).toEqual([])
  const execution = { agents: agents({ a: agent(null) }), tasks: { 'task-1': task('task-1') }, task_index: index }
  expect(await look({ execution })).toEqual([])
})

test('R1 an agent whose parent is gone, its children, its task and its lease', async () => {
  const active = { a: { ...agent('b', { child_agents: ['c'] }), current_task: 'task-9' } }
  const leases = { ...heap, places: { d: 0 } }
  expect(await said({ execution: { agents: agents(active, { leases }), tasks: {}, task_index: index } })).toEqual([
    '$.execution.agents.active.a.context.parent_agent: agent b',
    '$.execution.agents.active.a.context.child_agents: agent c',
    '$.execution.agents.active.a.current_task: task task-9',
    '$.execution.agents.leases: agent d',
  ])
})

test('R1 R2 a task that names tasks, plans and a holder that are not there', async () => {
  const tasks = {
    'task-1': task('task-1', {
      dependencies: ['task-8', 'resource:db'],
      blocking: ['task-9'],
      claim: { holder: 'agent:gone' },
      context: { ...context, epic_id: 'epic-1', sprint_id: 'sprint-1' },
    }),
  }
  const outside = { 'resource:db': {} }
  const execution = { tasks, task_index: { ...index, outside } }
  const found = [
    '$.execution.tasks.task-1.dependencies: task task-8',
    '$.execution.tasks.task-1.blocking: task task-9',
    '$.execution.tasks.task-1.context.epic_id: epic epic-1',
    '$.execution.tasks.task-1.context.sprint_id: sprint sprint-1',
  ]
  expect(await said({ execution })).toEqual(found)
  const registered = await said({ execution: { ...execution, agents: agents({}) } })
  expect(registered).toEqual([
    ...found.slice(0, 2),
    '$.execution.tasks.task-1.claim.holder: agent gone',
    ...found.slice(2),
  ])
})

test('K5 a circle that was imported is told with all that stand in it', async () => {
  const edge = { type: 'requires', seq: 1, at: '2026-01-01T00:00:00.000Z' }
  const tasks = {
    'task-1': task('task-1', { priority: 'high', ordinal: 0, dependencies: ['task-2'], blocking: ['task-2'] }),
    'task-2': task('task-2', { priority: 'high', ordinal: 1, dependencies: ['task-1'], blocking: ['task-1'] }),
  }
  const edges = { 'task-1': { 'task-2': edge }, 'task-2': { 'task-1': edge } }
  const [circle, ...rest] = await look({ execution: { tasks, task_index: { ...index, edges } } })
  expect(rest).toEqual([])
  expect(circle?.why).toContain('circle')
  expect(circle?.names).toMatch(/task-1|task-2/)
})

test('R1 R2 locks, letters and handoffs of agents that went', async () => {
  const hold = (holder: string) => ({ holder, token: 1 })
  const inbox = { deliveries: { 'm-1': {} }, dead: {}, ready: heap, open: 1, emergencies: 0 }
  const communication = {
    locks: {
      resources: { 'a.ts': { resource: 'a.ts', holders: [hold('agent:gone 1f'), hold('human:ana')], queue: [] } },
      deadlines: heap,
    },
    messages: { messages: {}, inboxes: { gone: inbox, 'human:ana': { ...inbox, deliveries: {} } }, deadlines: heap },
    handoffs: { 'h-1': { id: 'h-1', to_agent: 'gone', task_id: 'task-1', finished_at: null } },
  }
  expect(await said({ execution: { agents: agents({}), tasks: {}, task_index: index }, communication })).toEqual([
    "$.communication.locks.resources['a.ts'].holders: agent gone",
    '$.communication.messages.inboxes.gone: message m-1',
    '$.communication.messages.inboxes.gone: agent gone',
    '$.communication.handoffs.h-1.to_agent: agent gone',
    '$.communication.handoffs.h-1.task_id: task task-1',
  ])
})

test('R1 states, steps, sprints and teams that are named and not there', async () => {
  const states = { one: { next: ['two'], steps: { build: { needs: ['fetch'] } } } }
  const workflow = {
    definition: { name: 'w', initial: 'one', terminal: 'end', states },
    current: 'one',
    terminal: 'end',
    intent: null,
    error: { failed_state: 'three' },
  }
  const steps = { ledger: { k1: { key: 'k1', state: 'two', status: 'failed' } }, names: { lint: 'k2' }, breakers: {} }
  const plans = {
    active_sprints: [{ id: 's', epic_id: 'e', team_assignments: { t: [] } }],
    past_sprints: {},
    epics: { f: { sprints: ['s2'] } },
  }
  const organization = { teams: {}, projects: { p: { id: 'p', teams_assigned: ['t'] } }, global_settings: {} }
  expect(await said({ workflow, steps, organization, execution: { workflows: plans } })).toEqual([
    '$.organization.projects.p.teams_assigned: team t',
    '$.execution.workflows.epics.f.sprints: sprint s2',
    '$.execution.workflows.active_sprints[0].epic_id: epic e',
    '$.execution.workflows.active_sprints[0].team_assignments: team t',
    '$.workflow.terminal: state end',
    '$.workflow.error.failed_state: state three',
    '$.workflow.definition.states.one.steps.build.needs: step fetch',
    '$.workflow.definition.states.one.next: state two',
    '$.steps.names.lint: step k2',
    '$.steps.ledger.k1.state: state two',
  ])
})

test('R1 a worker that is waited for and stands in a wave, and is nowhere', async () => {
  const workers = { a: { id: 'a', needs: ['b'] } }
  expect(await said({ supervision: { supervisors: { s: { id: 's', workers, waves: [['a'], ['b']] } } } })).toEqual([
    '$.supervision.supervisors.s.workers.a.needs: worker b',
    '$.supervision.supervisors.s.waves[1]: worker b',
  ])
})

test('R1 a turn and a place in a queue without a seat, and channels that are gone', async () => {
  const main = { id: 'main', queue: ['a', 'b'], seats: { a: {} }, turn: { agent: 'c' } }
  const deadlines = { ...heap, places: { main: 0, old: 1 } }
  expect(await said({ turns: { channels: { main }, present: { a: ['main', 'gone'] }, deadlines } })).toEqual([
    '$.turns.channels.main.queue: agent b',
    '$.turns.channels.main.turn: agent c',
    '$.turns.present.a: channel gone',
    '$.turns.deadlines: channel old',
  ])
})

test('R1 an event in a conversation that is not there, and one that is due and not held', async () => {
  const places = { e1: 'c1', e2: 'c2' }
  expect(
    await said({ conversation: { places, threads: { c1: {} }, held: {}, due: { ...heap, places: { e3: 0 } } } }),
  ).toEqual(['$.conversation.places.e2: conversation c2', '$.conversation.due: event e3'])
})

test('R1 of a lock in a session that has ended nothing is advised: there it cannot be broken', async () => {
  const resources = { db: { resource: 'db', holders: [{ holder: 'agent:gone' }], queue: [] } }
  const root = (status: string) => ({
    session: { lifecycle: { status } },
    execution: { agents: agents({}) },
    communication: { locks: { resources, deadlines: heap } },
  })
  const why = async (status: string) => (await look(root(status))).map((each) => each.why)
  expect(await why('active')).toEqual([expect.stringContaining('steadfold lock break')])
  expect(await why('terminated')).toEqual(['nobody is registered under that name'])
})

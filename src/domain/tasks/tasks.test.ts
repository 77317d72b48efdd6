import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { Claimed, Task, TaskIndex } from './events.ts'

const ME = { actor: 'agent:me' }
const OTHER = { actor: 'agent:other' }
const MINUTE = 60_000

const taskOf = (session: Session, id = 'task-1') => session.get(`$.execution.tasks['${id}']`) as Task | undefined
const indexOf = (session: Session) => session.get('$.execution.task_index') as TaskIndex | undefined
const tasksOf = (session: Session) => Object.values((session.get('$.execution.tasks') ?? {}) as Record<string, Task>)

async function claim(session: Session, id = 'task-1', options = ME): Promise<number> {
  const answer = await session.run('task.claim', { task: id }, options)
  return answer.kind === 'accepted' ? (answer.value as Claimed).token : 0
}

async function readyIds(session: Session, input: object = {}): Promise<readonly string[]> {
  const answer = await session.run('task.ready', { limit: 1000, ...input })
  return answer.kind === 'accepted' ? (answer.value as readonly { id: string }[]).map(({ id }) => id) : []
}

async function started(session: Session): Promise<number> {
  await session.run('task.add', { title: 'one' })
  const token = await claim(session)
  await session.run('task.start', { task: 'task-1', token }, ME)
  return token
}

describe('K3 leases', () => {
  test('a claim past its lease is told over by the next write, whatever that is', async () => {
    const { host, session } = await begin()
    const token = await started(session)
    host.advance(15 * MINUTE)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(taskOf(session)?.status).toBe('in_progress')
    host.advance(1)
    await session.run('state.set', { path: '$.data.a', value: 2 })
    expect(taskOf(session)).toMatchObject({ status: 'pending', assignee: null, claim: null, token })
    const told: unknown[] = []
    for await (const { events } of session.commits({ after: session.seq - 1 })) told.push(...events)
    expect(told[0]).toEqual({ type: 'task.returned', data: { id: 'task-1', token, cause: 'expired' } })
    expect(await session.run('task.done', { task: 'task-1', token }, ME)).toMatchObject({ code: 'LEASE_LOST' })
    expect(indexOf(session)).toMatchObject({ leases: { size: 0 }, held: {}, ready: { size: 1 } })
  })

  test('a renewed one holds on, and one that was refused does not tell', async () => {
    const { host, session } = await begin()
    const token = await started(session)
    host.advance(10 * MINUTE)
    await session.run('task.renew', { task: 'task-1', token, ttl_ms: 20 * MINUTE }, ME)
    host.advance(19 * MINUTE)
    expect(await session.run('task.claim', { task: 'task-1' }, OTHER)).toMatchObject({ code: 'LEASE_HELD' })
    host.advance(2 * MINUTE)
    expect(await session.run('task.claim', { task: 'task-9' }, OTHER)).toMatchObject({ code: 'NOT_FOUND' })
    expect(taskOf(session)?.status).toBe('in_progress')
    expect(await claim(session, 'task-1', OTHER)).toBeGreaterThan(token)
  })

  test('reads tell it at once, and what is stored stays until an operation tells it', async () => {
    const { host, session } = await begin()
    const token = await started(session)
    await session.run('task.add', { title: 'two', needs: ['task-1'] })
    const read = async (name: 'task.list' | 'task.show' | 'task.why' | 'task.graph', input: object = {}) => {
      const answer = await session.run(name, input)
      return answer.kind === 'accepted' ? answer.value : undefined
    }
    const stored = JSON.stringify(session.state)
    host.advance(15 * MINUTE)
    expect(await readyIds(session)).toEqual([])
    expect(await read('task.why', { task: 'task-1' })).toMatchObject({ ready: false })
    host.advance(1)
    expect(await readyIds(session)).toEqual(['task-1'])
    expect(await readyIds(session, { type: 'feature' })).toEqual(['task-1'])
    const free = { id: 'task-1', status: 'pending', ready: true, assignee: null, token: null, lease_until: null }
    expect(await read('task.list', { status: 'pending' })).toMatchObject([free, { id: 'task-2', ready: false }])
    expect(await read('task.list', { assignee: 'agent:me' })).toEqual([])
    expect(await read('task.show', { task: 'task-1' })).toMatchObject({ ...free, task: { claim: null, token } })
    expect(await read('task.why', { task: 'task-1' })).toMatchObject({
      ready: true,
      because: 'task-1 is ready, and nobody has claimed it',
    })
    expect(await read('task.why', { task: 'task-2' })).toMatchObject({
      because: expect.stringMatching(/in the end task-1 is ready, and nobody has claimed it$/),
    })
    expect(await read('task.graph', {})).toContain('* task-1')
    expect(JSON.stringify(session.state)).toBe(stored)
    expect(await session.run('task.claim', { any: true }, OTHER)).toMatchObject({ value: { id: 'task-1' } })
    expect(await readyIds(session)).toEqual([])
  })

  test('what is in review has no lease', async () => {
    const { host, session } = await begin()
    const token = await started(session)
    await session.run('task.submit', { task: 'task-1', token }, ME)
    host.advance(60 * MINUTE)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(taskOf(session)).toMatchObject({ status: 'review', assignee: 'agent:me' })
  })
})

describe('K4 what is ready', () => {
  test('by priority, then age', async () => {
    const { session } = await begin()
    for (const priority of ['low', 'medium', 'critical', 'medium', 'high'])
      await session.run('task.add', { title: 'x', priority })
    expect(await readyIds(session)).toEqual(['task-3', 'task-5', 'task-2', 'task-4', 'task-1'])
    await session.run('task.update', { task: 'task-1', priority: 'critical' })
    expect(await readyIds(session, { limit: 2 })).toEqual(['task-1', 'task-3'])
    const taken: string[] = []
    for (let n = 0; n < 5; n++) {
      const answer = await session.run('task.claim', { any: true }, ME)
      if (answer.kind === 'accepted') taken.push((answer.value as Claimed).id)
    }
    expect(taken).toEqual(['task-1', 'task-3', 'task-5', 'task-2', 'task-4'])
    expect(await session.run('task.claim', { any: true }, ME)).toMatchObject({ code: 'TASK_NOT_READY' })
  })

  test('a filter leaves the order as it is', async () => {
    const { session } = await begin()
    for (const team of ['a', 'b', 'a']) await session.run('task.add', { title: 'x', team })
    expect(await readyIds(session, { team: 'a' })).toEqual(['task-1', 'task-3'])
    expect(await session.run('task.claim', { any: true, team: 'b' }, ME)).toMatchObject({ value: { id: 'task-2' } })
  })

  test('a task waits until all it needs is completed, and not for longer', async () => {
    const { session } = await begin()
    for (const needs of [[], [], ['task-1', 'task-2']]) await session.run('task.add', { title: 'x', needs })
    expect(await session.run('task.claim', { task: 'task-3' })).toMatchObject({
      code: 'TASK_NOT_READY',
      details: { waits_for: ['task-1', 'task-2'] },
    })
    for (const id of ['task-1', 'task-2']) {
      expect(await readyIds(session)).not.toContain('task-3')
      await session.run('task.done', { task: id, token: await claim(session, id) }, ME)
    }
    expect(await readyIds(session)).toEqual(['task-3'])
  })

  test('one word or the other: a task by name, or any', async () => {
    const { session } = await begin()
    expect(await session.run('task.claim', {})).toMatchObject({ code: 'INPUT_INVALID' })
    expect(await session.run('task.claim', { task: 'task-1', any: true })).toMatchObject({ code: 'INPUT_INVALID' })
  })
})

test('what was added can be read at the paths of session documents, and updated', async () => {
  const { session } = await begin()
  await session.run('epic.add', { title: 'sign in', owner: 'ana' })
  const words = { type: 'bug', priority: 'high', effort: 3, artifacts: ['a.ts'], requirements: 'r', criteria: ['c'] }
  await session.run('task.add', { title: 'hash', epic: 'epic-1', team: 'core', project: 'p', ...words })
  await session.run('task.update', {
    task: 'task-1',
    artifacts: ['a.ts', 'b.ts'],
    actual_effort: 2,
    criteria: ['c', 'd'],
  })
  expect(session.get("execution.tasks['task-1'].status")).toBe('pending')
  expect(taskOf(session)).toMatchObject({
    type: 'bug',
    priority: 'high',
    estimated_effort: 3,
    actual_effort: 2,
    artifacts: ['a.ts', 'b.ts'],
    context: { epic_id: 'epic-1', project_id: 'p', team: 'core', requirements: 'r', acceptance_criteria: ['c', 'd'] },
  })
  const seq = session.seq
  await session.run('task.update', { task: 'task-1', artifacts: ['a.ts'] })
  expect(session.seq).toBe(seq)
  for (const input of [{ epic: 'epic-9' }, { sprint: 'sprint-9' }, { needs: ['task-9'] }])
    expect(await session.run('task.add', { title: 'x', ...input })).toMatchObject({ code: 'NOT_FOUND' })
  expect(await session.run('task.add', { title: 'x', id: 'task-1' })).toMatchObject({ code: 'NAME_TAKEN' })
  expect(await session.run('task.add', { title: 'x', id: 'Task 1' })).toMatchObject({ code: 'INPUT_INVALID' })
})

test.each([
  ['fail', true, 'retry'],
  ['block', false, 'unblock'],
])('one that is blocked by %s says failed: %s, and goes on by %s', async (how, failed, next) => {
  const { session } = await begin()
  await session.run('task.add', { title: 'one' })
  await session.run(`task.${how}`, { task: 'task-1', token: await claim(session), reason: 'x' }, ME)
  const list = await session.run('task.list', {})
  expect(list).toMatchObject({ value: [{ status: 'blocked', failed }] })
  expect(await session.run(`task.${next}`, { task: 'task-1' })).toMatchObject({ kind: 'accepted' })
})

test('a task that was completed long ago can be archived, a cancelled one when nothing waits for it', async () => {
  const { host, session } = await begin()
  for (const needs of [[], [], ['task-1', 'task-2']]) await session.run('task.add', { title: 'x', needs })
  await session.run('task.done', { task: 'task-1', token: await claim(session) }, ME)
  await session.run('task.cancel', { task: 'task-2' })
  expect(await session.run('task.archive', {})).toMatchObject({ events: [] })
  host.advance(25 * 60 * MINUTE)
  expect(await session.run('task.archive', {})).toMatchObject({ events: [{ data: { ids: ['task-1'] } }] })
  expect(taskOf(session, 'task-3')).toMatchObject({ dependencies: ['task-2'], waits: 1 })
  await session.run('dependency.break', { from: 'task-2', to: 'task-3' })
  await session.run('task.archive', {})
  expect(tasksOf(session).map(({ id }) => id)).toEqual(['task-3'])
  expect(await readyIds(session)).toEqual(['task-3'])
})

test('K14 of tasks taken over, those there by id and title stay as they are; another of an id keeps all of them out', async () => {
  const { session } = await begin()
  await session.run('task.add', { title: 'one' })
  await session.run('task.add', { title: 'two' })
  await claim(session)
  const [one, two] = [
    { id: 'task-1', title: 'one', status: 'completed' },
    { id: 'task-2', title: 'two', dependencies: ['task-1'] },
  ]
  const three = { id: 'task-3', title: 'three', dependencies: ['task-1'] }
  const edges = [
    { from: 'task-2', to: 'task-1', type: 'requires' },
    { from: 'task-3', to: 'task-2', type: 'requires' },
  ]
  const other = { ...two, title: 'another' }
  expect(await session.run('task.import', { tasks: [one, other, three] })).toMatchObject({ code: 'NAME_TAKEN' })
  expect(await session.run('task.import', { tasks: [three, three] })).toMatchObject({ code: 'NAME_TAKEN' })
  expect(tasksOf(session)).toHaveLength(2)
  const whole = { tasks: [one, two, three], edges }
  expect(await session.run('task.import', whole)).toMatchObject({ value: { added: ['task-3'] } })
  expect(taskOf(session)).toMatchObject({ status: 'assigned', blocking: ['task-2', 'task-3'] })
  expect(taskOf(session, 'task-3')?.dependencies).toEqual(['task-2', 'task-1'])
  expect(await session.run('task.import', whole)).toMatchObject({ events: [], value: { added: [] } })
})

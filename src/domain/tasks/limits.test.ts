import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

const agent = (name: string) => ({ actor: `agent:${name}` })

async function withTasks(count: number, about: object = {}) {
  const { session } = await begin()
  for (let n = 0; n < count; n++) await session.run('task.add', { title: 'x', ...about })
  const claim = async (name: string) => {
    const answer = await session.run('task.claim', { any: true }, agent(name))
    return answer.kind === 'accepted' ? 'accepted' : answer.code
  }
  return { session, claim }
}

test('K9 no more agents work at the same time than the session prefers; who works may take more', async () => {
  const { session, claim } = await withTasks(6)
  await session.run('session.configure', { max_parallel_agents: 2 })
  expect(await claim('a')).toBe('accepted')
  expect(await claim('b')).toBe('accepted')
  expect(await claim('c')).toBe('LIMIT_REACHED')
  expect(await claim('a')).toBe('accepted')
  expect(await session.run('task.claim', { any: true }, { actor: 'human:ana' })).toMatchObject({ kind: 'accepted' })
  for (const task of ['task-1', 'task-3']) await session.run('task.done', { task }, agent('a'))
  expect(await claim('c')).toBe('accepted')
})

test('K9 lowering the number takes no claim away', async () => {
  const { session, claim } = await withTasks(3)
  for (const name of ['a', 'b', 'c']) expect(await claim(name)).toBe('accepted')
  await session.run('session.configure', { max_parallel_agents: 1 })
  expect(await session.run('task.start', { task: 'task-3' }, agent('c'))).toMatchObject({ kind: 'accepted' })
})

test('K10 a task of a team that approves goes through review, and another than who did it completes it', async () => {
  const { session } = await withTasks(0)
  await session.run('team.add', { team: 'core', orchestrator: 'lead', require_approval: true })
  await session.run('task.add', { title: 'x', team: 'core' })
  await session.run('task.claim', { any: true }, agent('a'))
  const done = (name: string) => session.run('task.done', { task: 'task-1' }, agent(name))
  expect(await done('a')).toMatchObject({ code: 'TASK_STATUS_INVALID' })
  await session.run('task.start', { task: 'task-1' }, agent('a'))
  expect(await done('a')).toMatchObject({ code: 'TASK_STATUS_INVALID', hint: 'steadfold task submit task-1' })
  await session.run('task.submit', { task: 'task-1' }, agent('a'))
  expect(await done('a')).toMatchObject({ code: 'NEEDS_PERSON' })
  expect(await done('lead')).toMatchObject({ kind: 'accepted' })
})

test('K10 who leads a team is not told to approve what it did itself', async () => {
  const { session } = await withTasks(0)
  await session.run('team.add', { team: 'core', orchestrator: 'lead', require_approval: true })
  const hint = async (name: string) => {
    const added = await session.run('task.add', { title: name, team: 'core', id: `task-${name}` })
    expect(added).toMatchObject({ kind: 'accepted' })
    for (const verb of ['claim', 'start', 'submit'])
      await session.run(
        `task.${verb}`,
        { task: `task-${name}`, any: verb === 'claim' ? false : undefined },
        agent(name),
      )
    const answer = await session.run('task.done', { task: `task-${name}` }, agent(name))
    return answer.kind === 'refused' ? answer.hint : answer.kind
  }
  expect(await hint('a')).toBe('another says it: steadfold task done task-a --as agent:lead')
  expect(await hint('lead')).toBe('another says it: steadfold task done task-lead --as human:NAME')
})

test('K10 a team that does not ask for approval gets none', async () => {
  const { session } = await withTasks(0)
  await session.run('team.add', { team: 'core', orchestrator: 'lead' })
  await session.run('task.add', { title: 'x', team: 'core' })
  await session.run('task.claim', { any: true }, agent('a'))
  expect(await session.run('task.done', { task: 'task-1' }, agent('a'))).toMatchObject({ kind: 'accepted' })
})

test('K11 no more tasks of a team are claimed than it may work on; whoever takes any gets one of another', async () => {
  const { session, claim } = await withTasks(0)
  await session.run('team.add', { team: 'core', orchestrator: 'lead', max_parallel: 1 })
  for (let n = 0; n < 20; n++) await session.run('task.add', { title: 'x', team: 'core', priority: 'high' })
  await session.run('task.add', { title: 'other', id: 'task-other' })
  expect(await claim('a')).toBe('accepted')
  expect(await session.run('task.claim', { task: 'task-2' }, agent('b'))).toMatchObject({ code: 'LIMIT_REACHED' })
  expect(await session.run('task.claim', { any: true, team: 'core' }, agent('b'))).toMatchObject({
    code: 'LIMIT_REACHED',
  })
  expect(await session.run('task.claim', { any: true }, agent('b'))).toMatchObject({ value: { id: 'task-other' } })
  expect(await claim('c')).toBe('LIMIT_REACHED')
  await session.run('task.done', { task: 'task-1' }, agent('a'))
  expect(await claim('c')).toBe('accepted')
})

test('K12 a member of a team takes as many tasks as it has room for, and none while it is offline', async () => {
  const { session, claim } = await withTasks(5)
  const join = (more: object) => session.run('team.join', { team: 'core', agent: 'a', role: 'worker', ...more })
  await session.run('team.add', { team: 'core', orchestrator: 'lead' })
  await join({ capacity: 2 })
  expect([await claim('a'), await claim('a'), await claim('a')]).toEqual(['accepted', 'accepted', 'LIMIT_REACHED'])
  await session.run('task.done', { task: 'task-1' }, agent('a'))
  await join({ capacity: 2, status: 'offline' })
  expect(await claim('a')).toBe('LIMIT_REACHED')
  expect(await session.run('task.claim', { any: true }, agent('a'))).toMatchObject({
    hint: 'when it is back: steadfold team join core a --role worker --capacity 2',
  })
  await join({ capacity: 3 })
  expect([await claim('a'), await claim('a'), await claim('a')]).toEqual(['accepted', 'accepted', 'LIMIT_REACHED'])
  expect(await claim('b')).toBe('accepted')
})

import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Pool } from './events.ts'

async function begin(policy: string, more: object = {}) {
  const host = fixedHost()
  const workspace = makeWorkspace({ ...memoryKernel({ checkpoints: false }), host })
  const session = await workspace.createSession({ name: 'test' })
  await session.run('pool.set', { type: 'worker', max: 4, policy, ...more })
  const pool = () => session.get('$.execution.agents.pool.worker') as Pool
  const add = async (count: number) => {
    for (let n = 0; n < count; n++) await session.run('task.add', { title: 'x' })
  }
  const lastTypes = async () => {
    for await (const { events } of session.commits({ after: session.seq - 1 })) return events.map(({ type }) => type)
    return []
  }
  return { host, session, pool, add, lastTypes }
}

test('P6 a pool on demand grows in the commit that makes its queue longer, and says why', async () => {
  const { pool, add, lastTypes } = await begin('demand', { tasks_per_agent: 2 })
  await add(1)
  expect(await lastTypes()).toEqual(['task.added', 'pool.scaled'])
  expect(pool()).toMatchObject({ target: 1, last_decision: { to: 1, reason: '1 to do, 2 for each agent' } })
  await add(1)
  expect(await lastTypes()).toEqual(['task.added'])
  await add(10)
  expect(pool().target).toBe(4)
})

test('P3 P6 a task that is being worked on still counts: a claim takes no agent away', async () => {
  const { host, session, pool, add } = await begin('demand')
  await add(2)
  host.advance(120_000)
  const answer = await session.run('task.claim', { any: true, ttl_ms: 3_600_000 }, { actor: 'agent:a' })
  expect(answer).toMatchObject({ kind: 'accepted', events: [{ type: 'task.claimed' }] })
  host.advance(120_000)
  await session.run('state.set', { path: '$.data.a', value: 1 })
  expect(pool().target).toBe(2)
})

test('P7 a queue that is empty takes one agent away at a time, with a rest between', async () => {
  const { host, session, pool, add } = await begin('demand')
  await add(3)
  for (const task of ['task-1', 'task-2', 'task-3']) await session.run('task.cancel', { task })
  expect(pool().target).toBe(3)
  const seen: number[] = []
  for (let n = 0; n < 6; n++) {
    host.advance(20_000)
    await session.run('state.set', { path: '$.data.n', value: n })
    seen.push(pool().target)
  }
  expect(seen).toEqual([3, 2, 2, 1, 1, 0])
})

test('P8 a predictive pool samples its queue now and then, and grows ahead of a queue that grows', async () => {
  const { host, session, pool, add, lastTypes } = await begin('predictive', { max: 50 })
  expect(await lastTypes()).toEqual(['pool.set', 'pool.sampled'])
  await add(5)
  expect(pool()).toMatchObject({ target: 5, samples: [[expect.any(Number), 0]] })
  for (let n = 0; n < 4; n++) {
    host.advance(60_000)
    await add(6)
  }
  expect(pool().samples).toHaveLength(5)
  expect(pool().target).toBeGreaterThan(29)
  await session.run('session.end')
  expect(await lastTypes()).toEqual(['session.termination-begun', 'session.ended'])
})

test('P6 a pool that is manual is left alone, and so is a session that is suspended', async () => {
  const manual = await begin('manual')
  await manual.add(3)
  expect(manual.pool().target).toBe(0)
  const { session, pool, add } = await begin('demand')
  await session.run('session.suspend')
  await add(3)
  expect(pool().target).toBe(0)
})

test('P9 a team without auto_scaling keeps the pools of its members as they are, until a person says so', async () => {
  const { session, pool, add } = await begin('demand')
  await session.run('team.add', { team: 'core', orchestrator: 'lead', auto_scaling: false })
  await session.run('team.join', { team: 'core', agent: 'worker', role: 'worker' })
  await add(3)
  expect(pool().target).toBe(0)
  await session.run('pool.scale', { type: 'worker', to: 2 })
  expect(pool().target).toBe(2)
  await session.run('team.set', { team: 'core', auto_scaling: true })
  expect(pool()).toMatchObject({ target: 3, last_decision: { reason: '3 to do, 1 for each agent' } })
})

test('P6 an automatic pool costs a replay nothing: whoever opens the session anew sees the same', async () => {
  const { session, add } = await begin('predictive')
  await add(5)
  const again = await session.stateAt(session.seq)
  expect(again['execution']).toEqual(session.stored['execution'])
})

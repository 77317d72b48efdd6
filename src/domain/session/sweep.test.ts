import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { sweepers } from '../../compose/sweepers.ts'
import type { Verdict } from '../../kernel/care/recovery.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import { planRecovery } from '../../runner/recover.ts'

const HOUR_MS = 3_600_000
const process = { host: 'h', boot_id: 'b', pid_namespace: 'n', pid: 4121, started: '1' }
const dead = (): Verdict => ({ kind: 'dead', reasons: ['pid 4121 not running'] })
const alive = (): Verdict => ({ kind: 'alive', reasons: [] })

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const session = await makeWorkspace(kernel).createSession({ name: 'build' })
  const plan = (judge = dead) => planRecovery(session, judge, host.now(), sweepers)
  return { host, session, plan }
}

async function run(session: Session, actor: string, operation: string, input: object) {
  const answer = await session.run(operation, input, { actor })
  if (answer.kind === 'refused') throw new Error(`${operation}: ${answer.message}`)
  return answer.value as { readonly token: number }
}

/** `main` holds the session and all that can be held; `other` waits for the lock and holds a task. */
async function held(session: Session): Promise<number> {
  const as = (actor: string) => (operation: string, input: object) => run(session, actor, operation, input)
  const [main, other] = [as('agent:main'), as('agent:other')]
  await main('agent.register', { agent: 'main', type: 'lead', ttl_ms: 10 * HOUR_MS })
  await main('agent.spawn', { agent: 'below', type: 'worker', parent: 'main', ttl_ms: 10 * HOUR_MS })
  await other('agent.register', { agent: 'other', type: 'lead', ttl_ms: 10 * HOUR_MS })
  for (const title of ['one', 'two', 'three']) await main('task.add', { title })
  await main('task.claim', { task: 'task-1', ttl_ms: 10 * HOUR_MS })
  await as('agent:below')('task.claim', { task: 'task-2', ttl_ms: 10 * HOUR_MS })
  await other('task.claim', { task: 'task-3', ttl_ms: 10 * HOUR_MS })
  await main('lock.acquire', { resource: 'docs/api.md', ttl_ms: HOUR_MS, owner: 'edit' })
  await other('lock.acquire', { resource: 'docs/api.md', wait_ms: HOUR_MS, ttl_ms: HOUR_MS })
  await as('human:ana')('lock.acquire', { resource: 'db', ttl_ms: HOUR_MS })
  await other('message.send', { to: ['main'], payload: 'hello' })
  await main('message.receive', { lease_ms: HOUR_MS })
  return (await main('session.acquire', { ttl_ms: HOUR_MS, process })).token
}

test('V3 one commit frees what a dead holder, and who stood below it, held: locks, claims, inbox leases', async () => {
  const { session, plan } = await begin()
  const token = await held(session)
  const planned = await plan()
  expect(planned).toMatchObject({
    cause: 'crashed',
    lost: ['agent main (crashed)', 'agent below (orphaned)'],
    release: [`lease ${token} of agent:main`, 'lock docs/api.md (held by main)'],
    return: ['task task-1 (claimed by main)', 'task task-2 (claimed by below)', '1 message (leased by main)'],
  })
  const before = session.seq
  const answer = await session.run('session.recover', { token, cause: 'crashed', evidence: ['pid 4121 not running'] })
  expect(answer).toMatchObject({ kind: 'accepted', seq: before + 1 })
  expect(session.get('$.session.lease')).toBeNull()
  expect(Object.keys(session.get('$.execution.agents.active') as object)).toEqual(['other'])
  expect(session.get('$.execution.tasks.task-1')).toMatchObject({ status: 'pending', assignee: null })
  expect(session.get('$.execution.tasks.task-2.status')).toBe('pending')
  expect(session.get('$.execution.tasks.task-3.status')).toBe('assigned')
  expect(session.get("$.communication.locks.resources['docs/api.md'].holders[0].holder")).toBe('agent:other')
  expect(session.get('$.communication.messages.inboxes.main.ready.size')).toBe(1)
  expect(await plan()).toBeUndefined()
})

test('V3 a person is no process: what human: holds stays', async () => {
  const { session, plan } = await begin()
  await run(session, 'human:ana', 'lock.acquire', { resource: 'db', ttl_ms: HOUR_MS })
  const { token } = await run(session, 'human:ana', 'session.acquire', { ttl_ms: HOUR_MS, process })
  expect((await plan())?.release).toEqual([`lease ${token} of human:ana`])
  await session.run('session.recover', { token, cause: 'crashed', evidence: [] })
  expect(session.get('$.communication.locks.resources.db.holders[0].holder')).toBe('human:ana')
})

test('V3 an agent whose own run goes on lost what it started alone; what it holds is free when that is lost, too', async () => {
  const { session, plan } = await begin()
  const main = (operation: string, input: object) => run(session, 'agent:main', operation, input)
  const of = { agent: 'claude', run: 'r-1', cwd: '/w', who: 'agent:main' }
  await main('activity.launch', of)
  const { token: lock } = await main('lock.acquire', { resource: 'db', ttl_ms: HOUR_MS })
  const { token } = await main('session.acquire', { ttl_ms: HOUR_MS, process })
  expect((await plan())?.release).toEqual([`lease ${token} of agent:main`])
  await session.run('session.recover', { token, cause: 'crashed' })
  expect(session.get('$.communication.locks.resources.db.holders[0].token')).toBe(lock)

  await main('activity.launch', { ...of, process })
  const last = await main('session.acquire', { ttl_ms: HOUR_MS, process })
  const planned = await plan()
  expect(planned).toMatchObject({
    release: [`lease ${last.token} of agent:main`, 'lock db (held by main)'],
    runs: ['claude:r-1'],
  })
  await session.run('session.recover', { token: last.token, cause: 'crashed', runs: planned?.runs })
  expect(session.get('$.communication.locks.resources.db')).toBeUndefined()
})

test('V1 agents whose own lease is over are lost, too, while the session is well held; its lease stays', async () => {
  const { host, session, plan } = await begin()
  await held(session)
  expect(await plan(alive)).toBeUndefined()
  await run(session, 'agent:late', 'agent.register', { agent: 'late', type: 'worker', ttl_ms: 1000 })
  await run(session, 'agent:late', 'lock.acquire', { resource: 'port', ttl_ms: HOUR_MS })
  host.advance(61_000)
  const planned = await plan(alive)
  expect(planned).toMatchObject({
    token: null,
    evidence: ['lease of agent late expired 60 s ago'],
    lost: ['agent late (timeout)'],
    release: ['lock port (held by late)'],
  })
  const answer = await session.run('session.recover', {})
  expect(answer.kind).toBe('accepted')
  expect(session.get('$.communication.locks.resources.port')).toBeUndefined()
  expect(session.get('$.session.lease.holder')).toBe('agent:main')
})

test('V1 of an agent that held nothing, recovering tells that it is lost', async () => {
  const { host, session, plan } = await begin()
  await run(session, 'agent:late', 'agent.register', { agent: 'late', type: 'worker', ttl_ms: 1000 })
  host.advance(61_000)
  expect(await plan()).toMatchObject({ lost: ['agent late (timeout)'] })
  expect(await session.run('session.recover', {})).toMatchObject({ events: [{ type: 'agent.removed' }] })
  expect(session.get('$.execution.agents.active')).toEqual({})
  expect(await plan()).toBeUndefined()
})

test('V3 what an agent held that another commit has told lost is given back, too', async () => {
  const { host, session, plan } = await begin()
  await run(session, 'agent:late', 'agent.register', { agent: 'late', type: 'worker', ttl_ms: 1000 })
  await run(session, 'agent:late', 'lock.acquire', { resource: 'port', ttl_ms: HOUR_MS })
  host.advance(61_000)
  await session.run('session.tick')
  expect(await plan(alive)).toMatchObject({
    holder: 'agent:late',
    token: null,
    evidence: ['agent late went 0 s ago (timeout)'],
    release: ['lock port (held by late)'],
  })
  expect(await session.run('session.recover', {})).toMatchObject({ events: [{ type: 'lock.broken' }] })
  expect(await plan(alive)).toBeUndefined()
})

test('V3 what an agent takes after it went stays: it works again, whether it registers or not', async () => {
  const { host, session, plan } = await begin()
  const late = (operation: string, input: object) => run(session, 'agent:late', operation, input)
  await run(session, 'human:ana', 'task.add', { title: 'one' })
  await run(session, 'human:ana', 'message.send', { to: ['late'], payload: 'hello' })
  await late('agent.register', { agent: 'late', type: 'worker', ttl_ms: 1000 })
  await late('lock.acquire', { resource: 'old', ttl_ms: HOUR_MS })
  await run(session, 'agent:other', 'lock.acquire', { resource: 'queued', ttl_ms: HOUR_MS })
  host.advance(61_000)
  // The commit that takes it tells that the agent went before.
  await late('lock.acquire', { resource: 'new', ttl_ms: HOUR_MS })
  await late('lock.acquire', { resource: 'queued', ttl_ms: HOUR_MS, wait_ms: HOUR_MS })
  await late('task.claim', { task: 'task-1', ttl_ms: HOUR_MS })
  await late('message.receive', { lease_ms: HOUR_MS })
  expect(await plan(alive)).toMatchObject({ release: ['lock old (held by late)'], return: [] })
  expect(await session.run('session.tidy', {}, { dryRun: true })).toMatchObject({ events: [{ type: 'lock.broken' }] })
  const answer = await session.run('session.recover', {})
  expect(answer).toMatchObject({ events: [{ type: 'lock.broken', data: { resource: 'old' } }] })
  expect(session.get('$.execution.tasks.task-1')).toMatchObject({ status: 'assigned', assignee: 'agent:late' })
  expect(await plan(alive)).toBeUndefined()
})

test('V3 of an agent that went twice, what it took in between is given back', async () => {
  const { host, session, plan } = await begin()
  const late = (operation: string, input: object) => run(session, 'agent:late', operation, input)
  for (const resource of ['first', 'second']) {
    await late('agent.register', { agent: 'late', type: 'worker', ttl_ms: 1000 })
    await late('lock.acquire', { resource, ttl_ms: HOUR_MS })
    host.advance(61_000)
    await session.run('session.tick')
  }
  expect((await plan(alive))?.release).toEqual(['lock first (held by late)', 'lock second (held by late)'])
})

test('V2 nothing is done for a session that has ended', async () => {
  const { session, plan } = await begin()
  await held(session)
  await session.run('session.end', {})
  expect(await plan()).toBeUndefined()
})

test('session.tidy takes out what is done or dead for a day, and frees what agents that went still hold', async () => {
  const { host, session } = await begin()
  await held(session)
  await run(session, 'agent:main', 'task.done', { task: 'task-1' })
  await run(session, 'agent:other', 'agent.leave', { agent: 'other' })
  host.advance(HOUR_MS / 2)
  expect(await session.run('session.tidy', { older_ms: HOUR_MS }, { dryRun: true })).toMatchObject({
    events: [{ type: 'lock.wait-ended' }],
  })
  await session.run('session.tidy', { older_ms: HOUR_MS / 2 })
  expect(session.get('$.execution.tasks.task-1')).toBeUndefined()
  expect(await session.get('$.execution.tasks.task-1.status', { at: '@-1' })).toBe('completed')
  expect(session.get("$.communication.locks.resources['docs/api.md'].queue")).toEqual([])
  const seq = session.seq
  expect(await session.run('session.tidy', { older_ms: HOUR_MS / 2 })).toMatchObject({ events: [], seq })
})

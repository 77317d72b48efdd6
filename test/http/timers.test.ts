/* What time alone brings about is written by the daemon, on time, while nobody asks for anything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesKernel } from '../../src/compose.ts'
import { Served, take } from './served.ts'

let served: Served
beforeAll(async () => {
  served = await Served.open()
  for (const name of ['a', 'rests']) await served.data('POST', '/v1/sessions', { body: { name } })
})
afterAll(() => served.remove())

const run = (operation: string, body: unknown, session = 'a') =>
  served.data<{ readonly seq: number }>('POST', `/v1/sessions/${session}/${operation}`, { body })

test('T1. a lock that ends is written as such, by nobody who asked', async () => {
  const { seq } = await run('lock.acquire', { resource: 'docs', ttl_ms: 20, $actor: 'agent:w' })
  const [tick] = await take(served.messages(`/v1/sessions/a/stream?after=${seq}`), 1)
  expect(tick).toMatchObject({ op: 'session.tick', actor: 'tool:steadfold', events: [{ type: 'lock.expired' }] })
})

test('T1. so is one that was taken by another process', async () => {
  const other = await served.workspace.session('a')
  const { seq } = await run('state.set', { path: 'data.x', value: 1 })
  await other.run('lock.acquire', { resource: 'src', ttl_ms: 20 }, { actor: 'agent:w' })
  await other.close()
  const [, tick] = await take(served.messages(`/v1/sessions/a/stream?after=${seq}`), 2)
  expect(tick).toMatchObject({ op: 'session.tick', events: [{ type: 'lock.expired' }] })
})

test('T1. a tick with nothing due adds nothing', async () => {
  const first = await run('session.tick', {})
  expect(await run('session.tick', {})).toEqual({ seq: first.seq, events: [] })
})

test('T2. what is due in a session that takes no writes is not asked for over and over', async () => {
  await run('session.end', {}, 'rests')
  expect((await served.ask('POST', '/v1/sessions/rests/session.tick', { body: {} })).status).toBe(409)
  expect((await served.data<{ readonly seq: number }>('GET', '/v1/sessions/rests')).seq).toBe(2)
})

test('every module that knows deadlines tells the next one, so that none is looked for every second', () => {
  const { modules } = filesKernel(`${served.dir}/.steadfold`)
  const blind = modules.filter(({ expire, due, deadlines }) => expire !== undefined && (due ?? deadlines) === undefined)
  expect(blind.map(({ slice }) => slice)).toEqual([])
})

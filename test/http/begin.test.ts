/* Sessions are begun, forked and recovered by routes of their own: what comes with a request holds there, or is refused. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Served } from './served.ts'

type Members = Readonly<Record<string, unknown>>

let served: Served
beforeAll(async () => {
  served = await Served.open()
  await served.data('POST', '/v1/sessions', { body: { name: 'a' } })
})
afterAll(() => served.remove())

const status = async (method: string, target: string, asked = {}) => (await served.ask(method, target, asked)).status

test('a dry run begins nothing, and says what would stand in the way', async () => {
  const headers = { 'Steadfold-Dry-Run': 'true' }
  const said = { name: 'never', created: false, dry_run: true }
  expect(await served.data('POST', '/v1/sessions', { headers, body: { name: 'never' } })).toEqual(said)
  const body = { name: 'never', $dry_run: true }
  expect(await served.data('POST', '/v1/sessions/a/session.fork', { body })).toEqual(said)
  expect(await status('GET', '/v1/sessions/never')).toBe(404)
  expect(await status('POST', '/v1/sessions', { body: { name: 'a', $dry_run: true } })).toBe(409)
})

test('a dry run recovers nothing, and says what would be done', async () => {
  const { session } = await served.data<{ readonly session: { readonly id: string } }>('POST', '/v1/sessions', {
    body: { name: 'lost' },
  })
  const held = await served.workspace.session(session.id)
  await held.run('session.acquire', { ttl_ms: 1000 }, { actor: 'tool:gone' })
  const seq = held.seq
  await held.close()
  const recover = (body: Members) => served.data<Members>('POST', '/v1/sessions/lost/recovery', { body })
  await expect.poll(() => recover({ $dry_run: true }), { timeout: 60_000 }).toMatchObject({ dry_run: true, plan: {} })
  expect(await served.data('GET', '/v1/sessions/lost')).toMatchObject({ seq })
  expect(await recover({})).toMatchObject({ recovered: true })
})

test('why a session was begun, and by which key, is in its log', async () => {
  const headers = { 'Steadfold-Reason': 'asked for', 'Idempotency-Key': 'begun' }
  const { session } = await served.data<Members>('POST', '/v1/sessions', { headers, body: { name: 'why' } })
  const again = await served.data('POST', '/v1/sessions', { headers, body: { name: 'why' } })
  expect(again).toMatchObject({ session })
  await served.data('POST', '/v1/sessions/why/session.fork', { body: { name: 'why-not', $reason: 'tried' } })
  expect(await served.data('GET', '/v1/sessions/why-not/log')).toMatchObject([
    { reason: 'asked for', key: 'begun' },
    { op: 'session.fork', reason: 'tried' },
  ])
})

test('a fork that is asked for again with its key is the one that it made', async () => {
  const body = { name: 'b', $key: 'forked' }
  const made = await served.data<Members>('POST', '/v1/sessions/a/session.fork', { body })
  await served.data('POST', '/v1/sessions/a/state.set', { body: { path: '$.data.later', value: 1 } })
  expect(await served.data('POST', '/v1/sessions/a/session.fork', { body })).toEqual(made)
  expect(await status('POST', '/v1/sessions/a/session.fork', { body: { name: 'b' } })).toBe(409)
})

test.each([
  ['', { name: 'never', $if_seq: 1 }, 400],
  ['', { name: 'never', gaol: 'misspelt' }, 422],
  ['/a/session.fork', { name: 'never', $if_seq: 1 }, 400],
  ['/a/session.fork', { name: 'never', $at: '2' }, 400],
  ['/a/session.fork', { name: 'never', until: 2 }, 422],
  ['/a/recovery', { $key: 'once' }, 400],
  ['/a/recovery', { hold: true }, 422],
])('POST /v1/sessions%s refuses what it would pass over: %o', async (target, body, expected) => {
  expect(await status('POST', `/v1/sessions${target}`, { body })).toBe(expected)
  expect(await status('GET', '/v1/sessions/never')).toBe(404)
})

test('of a session that was put away it is said that it is in the archive', async () => {
  const session = await served.workspace.createSession({ name: 'away' })
  await session.run('session.end', {})
  await served.workspace.archive(session)
  const { status: answered, text } = await served.ask('GET', '/v1/sessions/away/state')
  expect([answered, text]).toEqual([404, expect.stringContaining('session \\"away\\" is archived')])
})

test('of a path that leads nowhere it is said how far it goes', async () => {
  const { text } = await served.ask('GET', '/v1/sessions/a/state?path=data.topic.x')
  expect(JSON.parse(text)).toMatchObject({
    error: {
      code: 'PATH_NOT_FOUND',
      message: expect.stringContaining('$.data ') as string,
      hint: 'GET …/state?path=%24.data',
    },
  })
})

test('a read that takes a point behind the ? refuses one in the header', async () => {
  expect(await status('GET', '/v1/sessions/a/state', { headers: { 'Steadfold-At': '1' } })).toBe(400)
})
